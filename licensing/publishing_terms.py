from __future__ import annotations

import hashlib
from pathlib import Path

from django.db import transaction

from licensing.models import LicenceTerms
from licensing.terms_text import TermsError, parse_affirmations, parse_header
from receipts.locking import lock_exclusively

TERMS_LOCK = "licensing_terms"
LARGEST = 256 * 1024


class TermsAreFinal(Exception):
    """A published text was to be replaced under its own version."""


def publish_terms(*, path: Path) -> tuple[LicenceTerms, bool]:
    """Publish the exact bytes of a terms file; returns the terms and whether they are new.

    Raises OSError and what `publish_text` raises.
    """
    return publish_text(body=path.read_bytes())


def publish_text(*, body: bytes) -> tuple[LicenceTerms, bool]:
    """Publish these exact bytes as terms; returns the terms and whether they are new.

    Raises TermsError for a text that is not UTF-8, is too large or lacks a part of its form,
    TermsAreFinal for another text under a version that exists.
    """
    if len(body) > LARGEST:
        raise TermsError(f"text: must have at most {LARGEST} bytes")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TermsError("text: must be UTF-8") from error
    header = parse_header(text)
    parse_affirmations(text)
    digest = hashlib.sha256(body).hexdigest()
    with transaction.atomic():
        # Signers hold this lock in share: terms cannot change between their check and commit.
        lock_exclusively(TERMS_LOCK)
        existing = LicenceTerms.objects.filter(family=header.family, version=header.version).first()
        if existing is None:
            return LicenceTerms.objects.create(
                family=header.family,
                version=header.version,
                title=header.title,
                body=body,
                sha256=digest,
            ), True
    if existing.sha256 != digest:
        raise TermsAreFinal(
            f"{existing} is published with another text, and a published text is final. "
            "Give the changed text a new version."
        )
    return existing, False
