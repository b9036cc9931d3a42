from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_moment() -> Iterator[None]:
    """Everything that is read inside is as it was at one moment, and nothing is written.

    Race: what is bought, signed or fetched meanwhile would be half seen. Inside a transaction
    that began before, only what that one promises holds.
    """
    alone = not connection.in_atomic_block
    with transaction.atomic():
        if alone:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
