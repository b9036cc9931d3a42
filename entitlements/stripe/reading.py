"""Stripe's objects, as events and answers bring them, read field by field."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from entitlements.entering import PaymentMismatch
from entitlements.models import Purchase
from entitlements.news import OfNoConcern, TooEarly

Object = Mapping[str, Any]
# What the metadata of a session says it is for; a purchase when it says nothing.
MAINTENANCE = "maintenance"


def part(given: Object, *names: str) -> Object:
    """The object at a path; an empty one where the path leads nowhere."""
    for name in names:
        found = given.get(name)
        if not isinstance(found, Mapping):
            return {}
        given = found
    return given


def parts(given: Object, *names: str) -> list[Object]:
    """The objects of the list at a path, whether Stripe wraps it or not."""
    inner = part(given, *names[:-1]).get(names[-1])
    if isinstance(inner, Mapping):
        inner = inner.get("data")
    return [each for each in inner if isinstance(each, Mapping)] if isinstance(inner, list) else []


def text(given: Object, name: str) -> str:
    """A field's text, or "" where it has none; of an object that is expanded, its id."""
    found = given.get(name)
    if isinstance(found, Mapping):
        found = found.get("id")
    return found if isinstance(found, str) else ""


def amount(given: Object, name: str) -> int:
    """Minor units. Raises PaymentMismatch for anything else."""
    found = given.get(name)
    if type(found) is not int:  # True and 2500.5 are no amounts either
        raise PaymentMismatch(f"{name}: {found!r} is no whole number of minor units")
    return found


def moment(given: Object, name: str) -> datetime | None:
    """The time that a field of Unix seconds tells, or None."""
    found = given.get(name)
    return datetime.fromtimestamp(found, UTC) if type(found) is int else None


def purchase_named(reference: object, *, by: str) -> Purchase:
    """The purchase that an object names. Raises OfNoConcern and TooEarly.

    The account may sell something else too: what names no purchase never was ours.
    """
    try:
        number = UUID(str(reference))
    except ValueError:
        raise OfNoConcern("of no purchase here") from None
    found = Purchase.objects.filter(pk=number).first()
    if found is None:
        raise TooEarly(f"{by}: its purchase is not known here")
    return found
