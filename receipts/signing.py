from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from touchstone.envelope import sign_payload
from touchstone.statement import Subject, build_statement

from receipts.keys import active_key
from receipts.models import Receipt
from receipts.private_keys import private_key


def sign_receipt(
    *,
    kind: Receipt.Kind,
    subjects: Sequence[Subject],
    predicate_type: str,
    predicate: Mapping[str, Any],
) -> Receipt:
    """Sign a statement with the active key of its kind and store the envelope's bytes.

    Raises SigningKey.DoesNotExist, PrivateKeyError, StatementError.
    """
    key = active_key(kind)
    payload = build_statement(
        subjects=subjects, predicate_type=predicate_type, predicate=dict(predicate)
    )
    return Receipt.objects.create(
        kind=kind,
        envelope=sign_payload(payload, private_key(kid=key.kid, purpose=key.purpose)),
        payload_sha256=hashlib.sha256(payload).hexdigest(),
        subject_sha256=subjects[0].sha256,
        key=key,
    )
