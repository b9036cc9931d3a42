"""One press of a button is one signature, however often the browser sends it."""

from __future__ import annotations

import json
from uuid import UUID, uuid4, uuid5

from licensing.models import User


def signature_id(*, attempt: UUID | None, account: User, answers: tuple[object, ...]) -> UUID:
    """The id of a signature: of its attempt and answers, so that a repeat has the same.

    Other answers in the same attempt are another signature; without an attempt each is new.
    """
    if attempt is None:
        return uuid4()
    # The account is part of it: nobody's attempt can meet somebody else's signature.
    return uuid5(attempt, json.dumps([account.pk, *answers], default=str))
