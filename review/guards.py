"""Triggers by which the database itself refuses to change what must never change.

Used by migrations only. On SQLite three triggers a table: UPDATE, DELETE, and an INSERT guard,
because INSERT OR REPLACE deletes the old row without firing a DELETE trigger. On PostgreSQL one
function with a row trigger for UPDATE and DELETE and a statement trigger for TRUNCATE.
"""

from collections.abc import Sequence
from typing import Any

from django.db import migrations
from django.db.models import UniqueConstraint


def guard(
    app: str, model: str, *, when: str | None = None, columns: Sequence[str] = (), deletes_when: str | None = None
) -> migrations.RunPython:
    """Return a migration operation that guards the table of `app.model`.

    `when` is an SQL condition over OLD, without it every row is guarded; with `columns` only a
    change of those columns is refused (deleting still is); `deletes_when` replaces `when` for DELETE.
    """

    def install(apps: Any, editor: Any) -> None:
        table = apps.get_model(app, model)._meta
        statements = _sqlite if editor.connection.vendor == "sqlite" else _postgresql
        for statement in statements(table, when or "TRUE", tuple(columns), deletes_when or when or "TRUE"):
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


def _sqlite(meta: Any, when: str, columns: tuple[str, ...], deletes_when: str) -> list[str]:
    table = meta.db_table
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table}: this row never changes'); END"
    taken = " OR ".join(
        f"EXISTS (SELECT 1 FROM {table} AS OLD WHERE ({deletes_when}) AND "
        + " AND ".join(f"OLD.{column} = NEW.{column}" for column in key)
        + ")"
        for key in _unique_keys(meta)
    )
    return [
        f"CREATE TRIGGER guard_{table}_update BEFORE UPDATE ON {table} "
        f"WHEN ({when}) AND {_changed(columns, 'IS NOT')} {refuse}",
        f"CREATE TRIGGER guard_{table}_delete BEFORE DELETE ON {table} WHEN {deletes_when} {refuse}",
        f"CREATE TRIGGER guard_{table}_insert BEFORE INSERT ON {table} WHEN {taken} {refuse}",
    ]


def _unique_keys(meta: Any) -> list[list[str]]:
    keys = [[field.column] for field in meta.local_fields if field.unique]
    for constraint in meta.constraints:
        if isinstance(constraint, UniqueConstraint) and constraint.fields and constraint.condition is None:
            keys.append([meta.get_field(name).column for name in constraint.fields])
    return keys


def _postgresql(meta: Any, when: str, columns: tuple[str, ...], deletes_when: str) -> list[str]:
    table = meta.db_table
    refuse = f"RAISE EXCEPTION '{table}: this row never changes' USING ERRCODE = 'restrict_violation';"
    return [
        f"""CREATE FUNCTION guard_{table}() RETURNS trigger LANGUAGE plpgsql AS $guard$
        BEGIN
            IF TG_OP = 'TRUNCATE' THEN {refuse} END IF;
            IF TG_OP = 'DELETE' THEN
                IF {deletes_when} THEN {refuse} END IF;
                RETURN OLD;
            END IF;
            IF ({when}) AND {_changed(columns, "IS DISTINCT FROM")} THEN {refuse} END IF;
            RETURN NEW;
        END $guard$""",
        f"CREATE TRIGGER guard_{table}_row BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION guard_{table}()",
        f"CREATE TRIGGER guard_{table}_truncate BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION guard_{table}()",
    ]
