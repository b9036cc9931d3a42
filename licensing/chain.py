"""The record of a signature: the very text whose SHA-256 is its digest in the chain."""

from __future__ import annotations

from django.db import connection
from django.db.models.expressions import RawSQL

# As in `licensing_signature_digest`, whose SET clauses `as_the_chain_writes` repeats.
RECORD = RawSQL("(to_jsonb(licensing_licencesignature) - 'digest')::text", [])


def as_the_chain_writes() -> None:
    """Fix, until the transaction ends, what a session may change about how Postgres writes."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('TimeZone', 'UTC', true), set_config('bytea_output', 'hex', true)"
        )
