"""The executed agreement on paper: the text as signed, and a certificate of its signing."""

from __future__ import annotations

from typing import Any

from django_countries import countries

from catalog.printing import set_document
from licensing.models import LicenceSignature
from licensing.terms_text import AFFIRMATIONS


def agreement_pdf(signature: LicenceSignature) -> bytes:
    """The agreement and its certificate page as PDF; the same signature gives the same bytes."""
    return set_document("agreement.typ", _agreement(signature))


def agreement_name(signature: LicenceSignature) -> str:
    """The file name of an agreement, which tells several apart."""
    terms = signature.terms
    return f"licence-{terms.family}-{terms.version}-{signature.digest[:12]}.pdf"


def _agreement(signature: LicenceSignature) -> dict[str, Any]:
    receipt = signature.countersigned.receipt
    return {
        "title": signature.terms.title,
        "text": bytes(signature.terms_body).decode(),
        "entity": [
            ["Licensed entity", signature.entity_legal_name],
            ["Registration number", signature.entity_registration_number],
            ["Country", str(countries.name(signature.entity_country))],
            ["Registered address", signature.entity_address],
            ["Tax number", signature.entity_tax_number],
        ],
        "signer": [
            ["Signed by", signature.signer_name],
            ["Title", signature.signer_title],
            ["Account", signature.account_email],
            ["Package", signature.package.slug],
            ["Signed at", signature.signed_at.strftime("%Y-%m-%d %H:%M:%S UTC")],
        ],
        "affirmed": [
            [key.capitalize(), getattr(signature, f"{key}_text")]
            for key in ("authority", *AFFIRMATIONS, "consent")
        ],
        "digests": [
            ["Text, SHA-256", signature.terms_sha256],
            ["This record, SHA-256", signature.digest],
            ["Record before, SHA-256", signature.previous_digest or "none: the first"],
            ["Licence receipt, SHA-256", receipt.payload_sha256],
            ["Countersigned with key", receipt.key_id],
        ],
        "evidence": [
            ["Network address", signature.remote_address or "not known"],
            ["Browser", signature.user_agent or "not known"],
        ],
    }
