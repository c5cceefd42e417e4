"""Triggers by which the database itself refuses to change what must never change.

Used by migrations only. On SQLite three triggers a table: UPDATE, DELETE and INSERT; the first and
the last also refuse to take the place of another row, because INSERT OR REPLACE and UPDATE OR
REPLACE delete that row without firing a DELETE trigger. On PostgreSQL one function with a row
trigger for INSERT, UPDATE and DELETE and a statement trigger for TRUNCATE.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import migrations
from django.db.models import UniqueConstraint


@dataclass(frozen=True)
class Rules:
    """What is refused; conditions are SQL over OLD and NEW."""

    when: str  # over OLD: this row is final; without it every row is
    columns: tuple[str, ...]  # the columns that are final then; none given: all, and deleting too
    always: tuple[str, ...]  # columns that never change, final or not; the primary key is one
    once: tuple[str, ...]  # columns that never change once they are set
    also: str  # a further condition for UPDATE
    deletes_when: str
    is_closed: bool  # no row joins: `when` holds for NEW as well

    def refuses_update(self, differs: str) -> str:
        final = f"(({self.when}){self._joins()})"
        parts = [f"{final} AND {_changed(self.columns, differs)}", _changed(self.always, differs)]
        parts += [f"OLD.{column} IS NOT NULL AND OLD.{column} {differs} NEW.{column}" for column in self.once]
        parts += [self.also] if self.also else []
        return " OR ".join(f"({part})" for part in parts)

    def refuses_insert(self) -> str:
        return f"({self.when.replace('OLD.', 'NEW.')})" if self.is_closed else ""

    def _joins(self) -> str:
        return f" OR {self.refuses_insert()}" if self.is_closed else ""


def guard(
    app: str,
    model: str,
    *,
    when: str = "TRUE",
    columns: Sequence[str] = (),
    always: Sequence[str] = (),
    once: Sequence[str] = (),
    also: str = "",
    deletes_when: str | None = None,
    is_closed: bool = False,
) -> migrations.RunPython:
    """Return a migration operation that guards the table of `app.model`; see Rules."""

    def install(apps: Any, editor: Any) -> None:
        meta = apps.get_model(app, model)._meta
        final = (meta.pk.column, *always)
        rules = Rules(when, tuple(columns), final, tuple(once), also, deletes_when or when, is_closed)
        statements = _sqlite if editor.connection.vendor == "sqlite" else _postgresql
        for statement in statements(meta, rules):
            editor.execute(statement)

    def remove(apps: Any, editor: Any) -> None:
        table = apps.get_model(app, model)._meta.db_table
        if editor.connection.vendor == "sqlite":
            for event in ("update", "delete", "insert"):
                editor.execute(f"DROP TRIGGER IF EXISTS guard_{table}_{event}")
        else:
            editor.execute(f"DROP FUNCTION IF EXISTS guard_{table}() CASCADE")

    return migrations.RunPython(install, remove)


def _changed(columns: tuple[str, ...], differs: str) -> str:
    if not columns:
        return "TRUE"
    return "(" + " OR ".join(f"OLD.{column} {differs} NEW.{column}" for column in columns) + ")"


def _sqlite(meta: Any, rules: Rules) -> list[str]:
    table, key = meta.db_table, meta.pk.column
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table}: this row never changes'); END"
    same_key = " OR ".join(
        "(" + " AND ".join(f"other.{column} = NEW.{column}" for column in columns) + ")"
        for columns in _unique_keys(meta)
    )
    final_other = rules.deletes_when.replace("OLD.", "other.")
    taken = f"EXISTS (SELECT 1 FROM {table} AS other WHERE ({same_key}) AND ({final_other}))"
    displaced = f"EXISTS (SELECT 1 FROM {table} AS other WHERE other.{key} <> OLD.{key} AND ({same_key}))"
    joins = f" OR {rules.refuses_insert()}" if rules.is_closed else ""
    return [
        f"CREATE TRIGGER guard_{table}_update BEFORE UPDATE ON {table} "
        f"WHEN {rules.refuses_update('IS NOT')} OR {displaced} {refuse}",
        f"CREATE TRIGGER guard_{table}_delete BEFORE DELETE ON {table} WHEN {rules.deletes_when} {refuse}",
        f"CREATE TRIGGER guard_{table}_insert BEFORE INSERT ON {table} WHEN {taken}{joins} {refuse}",
    ]


def _unique_keys(meta: Any) -> list[list[str]]:
    keys = [[field.column] for field in meta.local_fields if field.unique]
    for constraint in meta.constraints:
        if isinstance(constraint, UniqueConstraint) and constraint.fields and constraint.condition is None:
            keys.append([meta.get_field(name).column for name in constraint.fields])
    return keys


def _postgresql(meta: Any, rules: Rules) -> list[str]:
    table = meta.db_table
    refuse = f"RAISE EXCEPTION '{table}: this row never changes' USING ERRCODE = 'restrict_violation';"
    insert = f"IF {rules.refuses_insert()} THEN {refuse} END IF;" if rules.is_closed else ""
    return [
        f"""CREATE FUNCTION guard_{table}() RETURNS trigger LANGUAGE plpgsql AS $guard$
        BEGIN
            IF TG_OP = 'TRUNCATE' THEN {refuse} END IF;
            IF TG_OP = 'INSERT' THEN
                {insert}
                RETURN NEW;
            END IF;
            IF TG_OP = 'DELETE' THEN
                IF {rules.deletes_when} THEN {refuse} END IF;
                RETURN OLD;
            END IF;
            IF {rules.refuses_update("IS DISTINCT FROM")} THEN {refuse} END IF;
            RETURN NEW;
        END $guard$""",
        f"CREATE TRIGGER guard_{table}_row BEFORE INSERT OR UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION guard_{table}()",
        f"CREATE TRIGGER guard_{table}_truncate BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION guard_{table}()",
    ]
