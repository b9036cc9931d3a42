"""What the application role may do, granted after every migrate from the models themselves."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model

from receipts.append_only import AppendOnly, Kept

ROLE = "touchstone_app"


def grant_to_application(sender: AppConfig, using: str, **_: Any) -> None:
    """Give the application role SELECT and INSERT, and more only where rows may change.

    Raises psycopg's InsufficientPrivilege when the role is missing and the owner may not
    create roles: docs/operations.md has the two statements for the administrator.
    """
    connection = connections[using]
    _make_role(connection)
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        for model in sender.get_models(include_auto_created=True):
            if not model._meta.managed or model._meta.proxy:
                continue
            table = quote(model._meta.db_table)
            rights = _rights(model)
            cursor.execute(f"REVOKE ALL ON {table} FROM {ROLE}")
            cursor.execute(f"GRANT {rights} ON {table} TO {ROLE}")
            if rights == "ALL":
                cursor.execute(f"REVOKE TRUNCATE, REFERENCES, TRIGGER ON {table} FROM {ROLE}")
        cursor.execute(f"GRANT SELECT ON django_migrations TO {ROLE}")
        cursor.execute(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {ROLE}")


def _rights(model: type[Model]) -> str:
    if issubclass(model, AppendOnly):
        return "SELECT, INSERT"
    return "SELECT, INSERT, UPDATE" if issubclass(model, Kept) else "ALL"


def _make_role(connection: BaseDatabaseWrapper) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE])
        if cursor.fetchone() is None:
            cursor.execute(f"CREATE ROLE {ROLE} NOLOGIN")
            # With one login for everything, that login steps down to this role.
            cursor.execute(f"GRANT {ROLE} TO CURRENT_USER")
