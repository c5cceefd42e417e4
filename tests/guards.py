"""Take the triggers away and put them back. Tests only: production code has no way to do this."""

from contextlib import contextmanager


@contextmanager
def lifted(connection):
    """Run the block without guards."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'guard_%'")
            triggers = cursor.fetchall()
            for name, _ in triggers:
                cursor.execute(f"DROP TRIGGER {name}")
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                for _, statement in triggers:
                    cursor.execute(statement)
        return
    with connection.cursor() as cursor:
        settle_foreign_keys(cursor)
        cursor.execute(
            "SELECT DISTINCT event_object_table FROM information_schema.triggers WHERE trigger_name LIKE 'guard_%'"
        )
        tables = [row[0] for row in cursor.fetchall()]
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            settle_foreign_keys(cursor)
            for table in tables:
                cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def settle_foreign_keys(cursor):
    """Check deferred foreign keys now: PostgreSQL alters and truncates no table that waits for that."""
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    cursor.execute("SET CONSTRAINTS ALL DEFERRED")
