"""Evidence tables: rows are added and never change, whoever asks.

Three walls, each enough alone: triggers that refuse (for the owner too), grants that give the
application role no such right, and this model class, which says so before Postgres must.
"""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models
from django.db.migrations.operations import RunSQL

FUNCTION = """
CREATE FUNCTION touchstone_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;
"""

TRIGGERS = """
CREATE TRIGGER append_only_rows BEFORE UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION touchstone_append_only();
CREATE TRIGGER append_only_table BEFORE TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION touchstone_append_only();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only_rows;
ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only_table;
"""

REMOVAL = """
DROP TRIGGER append_only_rows ON {table};
DROP TRIGGER append_only_table ON {table};
"""


class AppendOnlyError(Exception):
    """An evidence row was to be changed or removed."""


class AppendOnly(models.Model):
    """Base of every evidence table; pair it with `append_only(table)` in a migration."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError(f"{self._meta.label} is append-only: add a new row instead.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise AppendOnlyError(f"{self._meta.label} is append-only: its rows stay.")


class Kept(models.Model):
    """Base of tables whose rows may change, as far as Postgres lets them, and always stay."""

    class Meta:
        abstract = True

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise AppendOnlyError(f"{self._meta.label}: its rows stay.")


def append_only_function() -> RunSQL:
    """The migration operation that defines the shared trigger function."""
    return RunSQL(FUNCTION, "DROP FUNCTION touchstone_append_only()")


def append_only(table: str) -> RunSQL:
    """The migration operation that makes Postgres refuse UPDATE, DELETE and TRUNCATE."""
    return RunSQL(TRIGGERS.format(table=table), REMOVAL.format(table=table))
