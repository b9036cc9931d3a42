"""The store's countersignature under a licence: a receipt that stands without the store."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Literal

from touchstone.statement import LICENCE_RECEIPT, Subject

from catalog.definition.fields import Section, Sha256
from licensing.models import LicenceReceipt, LicenceSignature
from licensing.terms_text import AFFIRMATIONS
from receipts.models import Receipt
from receipts.signing import sign_receipt


class TermsNamed(Section):
    """The text that was signed; its SHA-256 is also the statement's subject."""

    family: str
    version: str
    title: str
    sha256: Sha256


class EntityNamed(Section):
    """The licensed entity as it was named that day."""

    id: uuid.UUID
    legal_name: str
    registration_number: str
    country: str
    address: str
    tax_number: str


class Signer(Section):
    """Who signed, under which title, and the sentence about the authority to bind the entity."""

    name: str
    title: str
    account_email: str
    authority: str


class Affirmed(Section):
    """One of the four affirmations: its sentence in the terms, and its mark."""

    key: str
    text: str
    affirmed: Literal[True]


class Consent(Section):
    """The sentence about electronic records and signature, and its mark."""

    text: str
    given: Literal[True]


class ChainPlace(Section):
    """Where the signature stands among all: its digest, and that of the one before."""

    position: int
    digest: Sha256
    previous_digest: str


class LicencePredicate(Section):
    """What a licence receipt says: who agreed to which text, for which package, and when."""

    signature: uuid.UUID
    terms: TermsNamed
    package: str
    entity: EntityNamed
    signer: Signer
    affirmations: tuple[Affirmed, Affirmed, Affirmed, Affirmed]
    consent: Consent
    signed_at: datetime
    chain: ChainPlace


def countersign(signature: LicenceSignature) -> LicenceReceipt:
    """Sign a receipt of a stored signature; the caller's transaction holds both or neither.

    Raises SigningKey.DoesNotExist and PrivateKeyError.
    """
    terms = signature.terms
    receipt = sign_receipt(
        kind=Receipt.Kind.LICENCE,
        subjects=[Subject(f"{terms.family}-{terms.version}.md", signature.terms_sha256)],
        predicate_type=LICENCE_RECEIPT,
        predicate=licence_predicate(signature).model_dump(mode="json"),
    )
    return LicenceReceipt.objects.create(signature=signature, receipt=receipt)


def licence_predicate(signature: LicenceSignature) -> LicencePredicate:
    """What the receipt of a signature says."""
    terms = signature.terms
    first, second, third, fourth = (
        Affirmed(
            key=key,
            text=getattr(signature, f"{key}_text"),
            affirmed=getattr(signature, f"{key}_affirmed"),
        )
        for key in AFFIRMATIONS
    )
    return LicencePredicate(
        signature=signature.pk,
        terms=TermsNamed(
            family=terms.family,
            version=terms.version,
            title=terms.title,
            sha256=signature.terms_sha256,
        ),
        package=signature.package.slug,
        entity=EntityNamed(
            id=signature.entity_id,
            legal_name=signature.entity_legal_name,
            registration_number=signature.entity_registration_number,
            country=signature.entity_country,
            address=signature.entity_address,
            tax_number=signature.entity_tax_number,
        ),
        signer=Signer(
            name=signature.signer_name,
            title=signature.signer_title,
            account_email=signature.account_email,
            authority=signature.authority_text,
        ),
        affirmations=(first, second, third, fourth),
        consent=Consent(text=signature.consent_text or "", given=True),
        signed_at=signature.signed_at,
        chain=ChainPlace(
            position=signature.position,
            digest=signature.digest,
            previous_digest=signature.previous_digest,
        ),
    )
