"""The suite runs as the application's role, on the embedded Postgres unless told otherwise."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import setup_databases, teardown_databases

from config import embedded
from receipts.append_only import AppendOnly

# tests.shop before the fixtures that import it: pytest rewrites its asserts at the first import.
pytest_plugins = [
    "tests.shop",
    "tests.evidence",
    "tests.hostile",
    "tests.people",
    "tests.transfers",
    "tests.desk",
    "tests.faults.reporting",
]
NO_SKIPS = "TOUCHSTONE_NO_SKIPS"


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: Any) -> Iterator[None]:
    """Make the test database as the owner, then give the tests the application's connection."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    with django_db_blocker.unblock():
        connect_as_owner()
        if worker:
            connection.creation.connection.settings_dict["TEST"]["NAME"] = f"test_store_{worker}"
        made = setup_databases(verbosity=0, interactive=False)
        connect_as_application()
        # A transactional test's clean-up empties the evidence tables, which nobody else may.
        patch = pytest.MonkeyPatch()
        patch.setattr(type(connection.ops), "execute_sql_flush", _owner_flush)
    yield
    patch.undo()
    with django_db_blocker.unblock():
        connect_as_owner()
        teardown_databases(made, verbosity=0)


def connect_as_owner() -> None:
    """From now on the connection is the owner role's."""
    connection.close()
    if not settings.EXTERNAL_DATABASE:
        data = Path(settings.DATA_DIR) / "postgres"
        connection.settings_dict["HOST"] = embedded.start(data)
        connection.settings_dict["USER"] = embedded.OWNER
        return
    os.environ["TOUCHSTONE_DATABASE_ROLE"] = "owner"
    _apply_role_settings()


def connect_as_application() -> None:
    """From now on the connection is the application role's."""
    connection.close()
    if not settings.EXTERNAL_DATABASE:
        connection.settings_dict["USER"] = embedded.APP
        return
    os.environ["TOUCHSTONE_DATABASE_ROLE"] = "app"
    _apply_role_settings()


def _apply_role_settings() -> None:
    from config.databases import default_database
    from config.settings import env

    wanted = default_database(env=env, data=Path(settings.DATA_DIR))
    for name in ("USER", "PASSWORD", "OPTIONS"):
        connection.settings_dict[name] = wanted.get(name, "")


def _owner_flush(self: Any, sql_list: list[str]) -> None:
    tables = [m._meta.db_table for m in AppendOnly.__subclasses__()]
    # A copy: the settings of the connection itself are the tests', which go on as the application.
    owner = connection.copy()
    owner_settings(owner.settings_dict)
    try:
        with owner.cursor() as cursor:
            cursor.execute("BEGIN")
            for table in tables:
                cursor.execute(f'ALTER TABLE "{table}" DISABLE TRIGGER append_only_table')
            for statement in sql_list:
                cursor.execute(statement)
            for table in tables:
                cursor.execute(f'ALTER TABLE "{table}" ENABLE ALWAYS TRIGGER append_only_table')
            cursor.execute("COMMIT")
    finally:
        owner.close()


def owner_settings(target: dict[str, Any]) -> None:
    """Let a connection's settings be those of the owner role."""
    if not settings.EXTERNAL_DATABASE:
        target["USER"] = embedded.OWNER
        return
    role = os.environ.get("TOUCHSTONE_DATABASE_ROLE")
    os.environ["TOUCHSTONE_DATABASE_ROLE"] = "owner"
    try:
        from config.databases import default_database
        from config.settings import env

        wanted = default_database(env=env, data=Path(settings.DATA_DIR))
        for name in ("USER", "PASSWORD", "OPTIONS"):
            target[name] = wanted.get(name, "")
    finally:
        os.environ["TOUCHSTONE_DATABASE_ROLE"] = role or "app"


@pytest.fixture(autouse=True)
def _plain_settings(settings: Any, tmp_path: Path) -> None:
    """Files of a test lie in its own folder; static files need no manifest; mail is kept."""
    settings.STORAGES = {
        **settings.STORAGES,
        "kits": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path / "kits")},
        },
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.KEYS_DIR = tmp_path / "keys"
    settings.ROOT_KEY_FILE = ""
    settings.STATIC_ROOT = tmp_path
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where everything is installed, a skipped test is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get(NO_SKIPS) and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        reporter.write_line(f"{NO_SKIPS} is set, and tests were skipped: see above.", red=True)
