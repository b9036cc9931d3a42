"""Moments as this package writes them: RFC 3339 in UTC."""

import re
from datetime import UTC, datetime

_RFC3339_UTC = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|\+00:00)"
)


def parse_time(text: str) -> datetime:
    """Read an RFC 3339 moment in UTC. Raises ValueError."""
    if not _RFC3339_UTC.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a time in UTC such as 2026-07-30T00:00:00Z")
    return datetime.fromisoformat(text)


def format_time(moment: datetime) -> str:
    """Write a moment that knows its zone. Raises ValueError for one that does not."""
    if moment.tzinfo is None:
        raise ValueError("a time without a zone cannot be written")
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
