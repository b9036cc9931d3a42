"""What a buyer receipt says: what was bought, under which signature, and what was withheld."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from catalog.definition.fields import Section, Sha256
from catalog.models import PackageVersion
from catalog.statements import ReceiptNamed
from entitlements.models import Entitlement
from receipts.models import Receipt

Salt = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class PackageNamed(Section):
    """The version that the receipt is about."""

    slug: str
    version: str


class EntityOf(Section):
    """The licensed entity, as its signer named it."""

    id: uuid.UUID
    legal_name: str


class SignatureOf(Section):
    """The licence signature, and its digest in the chain of signatures."""

    id: uuid.UUID
    sha256: Sha256


class TermsOf(Section):
    """The licence terms that were signed."""

    family: str
    version: str
    sha256: Sha256


class Revealed(Section):
    """What a commitment of the benchmark receipt binds: SHA-256 over salt, then content."""

    salt: Salt
    content: str


class BuyerPredicate(Section):
    """For members of the entity alone: it opens the commitments of the benchmark receipt."""

    replaces: ReceiptNamed | None = None
    benchmark_receipt: ReceiptNamed
    package: PackageNamed
    entity: EntityOf
    purchase: uuid.UUID
    signature: SignatureOf
    terms: TermsOf
    granted_at: datetime
    revealed: dict[str, Revealed]


def buyer_predicate(
    *,
    entitlement: Entitlement,
    version: PackageVersion,
    benchmark: Receipt,
    replaces: Receipt | None,
) -> dict[str, Any]:
    """The predicate as JSON; `replaces` is the buyer receipt that this one follows."""
    signature = entitlement.signature
    terms = signature.terms
    predicate = BuyerPredicate(
        replaces=ReceiptNamed(sha256=replaces.payload_sha256) if replaces else None,
        benchmark_receipt=ReceiptNamed(sha256=benchmark.payload_sha256),
        package=PackageNamed(slug=version.package.slug, version=version.version),
        entity=EntityOf(id=signature.entity_id, legal_name=signature.entity_legal_name),
        purchase=entitlement.purchase_id,
        signature=SignatureOf(id=signature.pk, sha256=signature.digest),
        terms=TermsOf(family=terms.family, version=terms.version, sha256=signature.terms_sha256),
        granted_at=entitlement.granted_at,
        revealed={
            each.name: Revealed(salt=bytes(each.salt).hex(), content=bytes(each.content).decode())
            for each in version.withheld.order_by("name")
        },
    )
    return predicate.model_dump(mode="json", exclude_none=True)
