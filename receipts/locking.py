"""Advisory locks by name, held until the transaction ends."""

from django.db import connection


def lock_exclusively(name: str) -> None:
    """Wait until nobody else holds the lock, then hold it alone."""
    _lock("pg_advisory_xact_lock", name)


def lock_in_share(name: str) -> None:
    """Wait until nobody holds the lock alone, then hold it with others."""
    _lock("pg_advisory_xact_lock_shared", name)


def _lock(function: str, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(hashtext(%s))", [name])
