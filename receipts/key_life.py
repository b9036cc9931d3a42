"""The life of a signing key: active, then retired or revoked, and never back.

Postgres holds the order of these steps (receipts/migrations/0003_key_life.py).
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from receipts.keys import create_key
from receipts.models import SigningKey

Status = SigningKey.Status


class KeyLifeError(Exception):
    """The step cannot be taken; the message says why."""


@transaction.atomic
def rotate_key(*, purpose: str) -> tuple[SigningKey, SigningKey]:
    """Retire the active key of a purpose and make its successor; returns both, the old one first.

    Nothing is left without a key in between: who signs meanwhile waits for the end of this.
    Raises KeyLifeError, KeyExistsError, PrivateKeyError.
    """
    # Race: of two rotations at once the second waits here, and then finds the key retired.
    old = (
        SigningKey.objects.select_for_update().filter(purpose=purpose, status=Status.ACTIVE).first()
    )
    if old is None:
        raise KeyLifeError(f"{purpose}: there is no active key to rotate, or it changes just now")
    _retire(old)
    return old, create_key(purpose=purpose)


@transaction.atomic
def retire_key(*, kid: str) -> SigningKey:
    """End the time in which a key signs; what it signed keeps verifying. Raises KeyLifeError."""
    key = _found(kid)
    if key.status != Status.ACTIVE:
        raise KeyLifeError(f"key {kid} is {key.status}: only an active key can be retired")
    _retire(key)
    return key


@transaction.atomic
def revoke_key(*, kid: str, compromised_since: datetime, reason: str) -> SigningKey:
    """Take back all that a key vouches for, at once and for ever. Raises KeyLifeError.

    `compromised_since` is for the record. Receipts from before do not hold either: who has
    the private half also chooses the dates.
    """
    key = _found(kid)
    if key.status == Status.REVOKED:
        raise KeyLifeError(f"key {kid} is revoked already")
    if not reason.strip():
        raise KeyLifeError("reason: say why, for those who read the receipts")
    if compromised_since > timezone.now():
        raise KeyLifeError("since: lies in the future")
    key.status, key.compromised_since = Status.REVOKED, compromised_since
    key.revocation_reason = reason.strip()
    key.save(update_fields=["status", "compromised_since", "revocation_reason"])
    return key


def _retire(key: SigningKey) -> None:
    # A clock that was set back must not end a life before its beginning.
    key.status, key.not_after = Status.RETIRED, max(timezone.now(), key.not_before)
    key.save(update_fields=["status", "not_after"])


def _found(kid: str) -> SigningKey:
    # Race: whoever is signing with this key right now finishes first; see 0003_key_life.py.
    key = SigningKey.objects.select_for_update().filter(kid=kid).first()
    if key is None:
        raise KeyLifeError(f"no key has the id {kid}")
    return key
