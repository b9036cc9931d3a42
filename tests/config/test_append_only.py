"""Every evidence table against every way of changing a row, in raw SQL as the application's role.

A model that begins to inherit `AppendOnly` is asked the same from then on.
"""

from __future__ import annotations

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from entitlements.models import Purchase
from receipts.append_only import AppendOnly
from tests.conftest import owner_settings
from tests.evidence import MODELS, TABLES, key_of

CHANGES = {
    "update": "UPDATE {table} SET {key} = {key}",
    "update of nothing": "UPDATE {table} SET {key} = {key} WHERE false",
    "delete": "DELETE FROM {table}",
    "truncate": "TRUNCATE {table}",
    "truncate all": "TRUNCATE {table} RESTART IDENTITY CASCADE",
    "upsert": "INSERT INTO {table} SELECT * FROM {table}"
    " ON CONFLICT ({key}) DO UPDATE SET {key} = EXCLUDED.{key}",
    "merge update": "MERGE INTO {table} t USING {table} s ON t.{key} = s.{key}"
    " WHEN MATCHED THEN UPDATE SET {key} = s.{key}",
    "merge delete": "MERGE INTO {table} t USING {table} s ON t.{key} = s.{key}"
    " WHEN MATCHED THEN DELETE",
    "delete in a query": "WITH gone AS (DELETE FROM {table} RETURNING *) SELECT * FROM gone",
    "copy of a delete": "COPY (DELETE FROM {table} RETURNING {key}) TO STDOUT",
    "copy from a file": "COPY {table} FROM '/dev/null'",
    "lock for update": "SELECT * FROM {table} FOR UPDATE",
}
WALLS = {
    "disable triggers": "ALTER TABLE {table} DISABLE TRIGGER ALL",
    "disable the row trigger": "ALTER TABLE {table} DISABLE TRIGGER append_only_rows",
    "disable the table trigger": "ALTER TABLE {table} DISABLE TRIGGER append_only_table",
    "weaken the trigger": "ALTER TABLE {table} ENABLE REPLICA TRIGGER append_only_rows",
    "drop the trigger": "DROP TRIGGER append_only_rows ON {table}",
    "a trigger beside it": "CREATE TRIGGER beside BEFORE UPDATE ON {table} FOR EACH ROW"
    " EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "a rule": "CREATE RULE aside AS ON INSERT TO {table} DO INSTEAD NOTHING",
    "drop a column": "ALTER TABLE {table} DROP COLUMN {key}",
    "add a column": "ALTER TABLE {table} ADD COLUMN beside int",
    "another type": "ALTER TABLE {table} ALTER COLUMN {key} TYPE text",
    "own it": "ALTER TABLE {table} OWNER TO touchstone_app",
    "rename it": "ALTER TABLE {table} RENAME TO aside",
    "row security": "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
    "drop it": "DROP TABLE {table} CASCADE",
}
SESSION = (
    "SET session_replication_role = replica",
    "SET LOCAL session_replication_role = replica",
    "SELECT set_config('session_replication_role', 'replica', false)",
    "ALTER ROLE touchstone_app SET session_replication_role = replica",
    "SET ROLE touchstone_owner",
    "SET SESSION AUTHORIZATION touchstone_owner",
    "CREATE OR REPLACE FUNCTION touchstone_append_only() RETURNS trigger AS 'x' LANGUAGE sql",
    "DROP FUNCTION touchstone_append_only() CASCADE",
    "UPDATE pg_trigger SET tgenabled = 'D'",
    "COPY pg_trigger FROM '/dev/null'",
)


def run(sql: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_every_evidence_table_has_a_row_to_change(whole_evidence: Purchase) -> None:
    assert [model._meta.db_table for model in MODELS if not model._default_manager.exists()] == []
    assert len(TABLES) >= 12


@pytest.mark.parametrize("table", TABLES)
def test_no_row_of_evidence_changes_in_any_way(whole_evidence: Purchase, table: str) -> None:
    for change in CHANGES.values():
        with pytest.raises(DatabaseError, match=r"permission denied|append-only"):
            run(change.format(table=table, key=key_of(table)))


@pytest.mark.parametrize("table", TABLES)
def test_no_wall_of_an_evidence_table_moves(db: None, table: str) -> None:
    for move in WALLS.values():
        with pytest.raises(DatabaseError, match=r"must be owner|permission denied"):
            run(move.format(table=table, key=key_of(table)))


@pytest.mark.parametrize("statement", SESSION)
def test_no_session_steps_around_the_walls(db: None, statement: str) -> None:
    with pytest.raises(DatabaseError, match=r"permission denied|must be owner"):
        run(statement)


@pytest.mark.parametrize("table", TABLES)
def test_a_copy_brings_no_row_over_another(whole_evidence: Purchase, table: str) -> None:
    with connection.cursor() as cursor:
        with cursor.copy(f"COPY {table} TO STDOUT") as out:
            rows = b"".join(bytes(piece) for piece in out)
        assert rows
        with (
            pytest.raises(psycopg.Error, match=r"duplicate key|that holds"),
            transaction.atomic(),
            cursor.copy(f"COPY {table} FROM STDIN") as into,
        ):
            into.write(rows)
        with cursor.copy(f"COPY {table} TO STDOUT") as out:
            assert b"".join(bytes(piece) for piece in out) == rows


@pytest.mark.parametrize("table", TABLES)
def test_the_application_role_holds_no_right_but_to_read_and_add(db: None, table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT r FROM unnest(ARRAY['SELECT','INSERT','UPDATE','DELETE','TRUNCATE',"
            "'REFERENCES','TRIGGER']) r WHERE has_table_privilege(current_user, %s, r)"
            " OR (r IN ('UPDATE', 'REFERENCES') AND has_any_column_privilege(current_user, %s, r))",
            [table, table],
        )
        assert {row[0] for row in cursor.fetchall()} == {"SELECT", "INSERT"}


@pytest.mark.parametrize("table", TABLES)
def test_the_triggers_fire_whatever_a_session_says(db: None, table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgname, tgenabled::text FROM pg_trigger WHERE tgrelid = %s::regclass"
            " AND tgname LIKE 'append_only_%%' ORDER BY tgname",
            [table],
        )
        assert cursor.fetchall() == [("append_only_rows", "A"), ("append_only_table", "A")]


@pytest.mark.django_db(transaction=True)
def test_the_owner_of_the_tables_is_refused_too(whole_evidence: Purchase) -> None:
    owner = connection.copy()
    owner_settings(owner.settings_dict)
    try:
        for table in TABLES:
            for change in ("update", "delete", "truncate all", "merge update", "merge delete"):
                with (
                    pytest.raises(DatabaseError, match="is append-only"),
                    transaction.atomic(),
                    owner.cursor() as cursor,
                ):
                    cursor.execute(CHANGES[change].format(table=table, key=key_of(table)))
    finally:
        owner.close()


def test_every_subclass_is_looked_at() -> None:
    assert set(MODELS) == set(AppendOnly.__subclasses__())
