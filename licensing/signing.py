"""The gate: signing a licence."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from uuid import UUID

from django.db import transaction

from catalog.models import Package
from licensing.access import has_verified_email
from licensing.attempts import signature_id
from licensing.countersigning import countersign
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, Member, User
from licensing.names import same_name
from licensing.party_locks import CLOSED, holds_right_to_sign, lock_account
from licensing.publishing_terms import TERMS_LOCK
from licensing.signals import licence_signed
from licensing.terms_text import AFFIRMATIONS, parse_affirmations
from receipts.locking import lock_exclusively, lock_in_share
from receipts.models import SigningKey
from receipts.private_keys import PrivateKeyError

logger = logging.getLogger(__name__)

AUTHORITY = (
    "I am authorised to sign this licence for the licensed entity named above and to bind it."
)

CONSENT = (
    "I agree to sign electronically and to receive this agreement, its receipts and its notices "
    "as electronic records, which I can open and keep."
)


class SigningRefused(Exception):
    """The licence was not signed; the message says why."""


class TermsChanged(SigningRefused):
    """Newer terms were published since the signer read theirs."""


@dataclass(frozen=True, kw_only=True)
class EntityDetails:
    """A licensed entity as its signer names it. `country` is ISO 3166-1 alpha-2."""

    legal_name: str
    country: str
    address: str
    registration_number: str = ""
    tax_number: str = ""


@dataclass(frozen=True, kw_only=True)
class NetworkEvidence:
    """Where a request came from: evidence only, never an identity."""

    remote_address: str | None = None
    user_agent: str = ""


@transaction.atomic
def sign_licence(
    *,
    account: User,
    package: Package,
    entity: LicensedEntity | EntityDetails,
    read_terms_sha256: str,
    family: str,
    signer_name: str,
    signer_title: str,
    affirmed: Mapping[str, bool],
    consented: bool,
    evidence: NetworkEvidence,
    attempt: UUID | None = None,
) -> LicenceSignature:
    """Store one signature; `affirmed` marks "authority" and each of the four affirmations.

    A new entity given by its details is made with the account as its owner. The same answers
    in the same `attempt` again return the signature that they made. Raises
    TermsChanged when `read_terms_sha256` is not the current text of `family`, and
    SigningRefused for everything else that is missing; nothing is stored then. The store's
    countersignature, a licence receipt, is stored with it. An account without a name takes
    the one that it signs with.
    """
    refuse_early(account=account, signer_name=signer_name)
    answers = (package.pk, _said(entity), read_terms_sha256, signer_name, signer_title)
    number = signature_id(attempt=attempt, account=account, answers=answers)
    # Race: a form sent twice at once. The second waits here, then finds the first one's row.
    lock_exclusively(f"licensing_signature {number}")
    if (made := LicenceSignature.objects.filter(pk=number).first()) is not None:
        return made
    # Race: terms published while this runs wait for the commit, or this waits and sees them.
    lock_in_share(TERMS_LOCK)
    terms = _terms_as_read(family=family, sha256=read_terms_sha256)
    _require_marks(affirmed)
    if consented is not True:
        raise SigningRefused("Not agreed to: electronic records and signature.")
    if not lock_account(account):
        raise SigningRefused(CLOSED)
    User.objects.filter(pk=account.pk, name="").update(name=signer_name)
    if isinstance(entity, EntityDetails):
        entity = _make_entity(entity, owner=account)
    elif not holds_right_to_sign(account, entity):
        raise SigningRefused("You may not sign for this entity: ask its owner for the role.")
    return _store(
        number=number,
        account=account,
        package=package,
        entity=entity,
        terms=terms,
        signer_name=signer_name,
        signer_title=signer_title,
        evidence=evidence,
    )


def refuse_early(*, account: User, signer_name: str) -> None:
    """Raise SigningRefused for who may sign nothing, or would sign as somebody else."""
    if not has_verified_email(account):
        raise SigningRefused("Confirm your e-mail address first: a licence needs a known signer.")
    if account.name and not same_name(account.name, signer_name):
        raise SigningRefused(f"Sign with the name of your account: {account.name}.")


def details_of(party: LicensedEntity | EntityDetails) -> EntityDetails:
    """The entity as a signature would name it now."""
    if isinstance(party, EntityDetails):
        return party
    return EntityDetails(
        legal_name=party.legal_name,
        country=party.country,
        address=party.address,
        registration_number=party.registration_number,
        tax_number=party.tax_number,
    )


def _said(entity: LicensedEntity | EntityDetails) -> object:
    return asdict(entity) if isinstance(entity, EntityDetails) else entity.pk


def _terms_as_read(*, family: str, sha256: str) -> LicenceTerms:
    terms = LicenceTerms.current(family)
    if terms is None:
        raise SigningRefused("No licence terms are published for this package yet.")
    refuse_other_terms(terms, read_sha256=sha256)
    return terms


def refuse_other_terms(terms: LicenceTerms, *, read_sha256: str) -> None:
    """Raise TermsChanged for who read another text than this one."""
    if terms.sha256 != read_sha256:
        raise TermsChanged(
            "The terms changed after you opened them. Nothing was signed: please read the new ones."
        )


def _require_marks(affirmed: Mapping[str, bool]) -> None:
    expected = {"authority", *AFFIRMATIONS}
    if unknown := set(affirmed) - expected:
        raise SigningRefused(f"There is no affirmation called {min(unknown)}.")
    if missing := [name for name in sorted(expected) if affirmed.get(name) is not True]:
        raise SigningRefused(f"Not affirmed: {', '.join(missing)}.")


def _make_entity(details: EntityDetails, *, owner: User) -> LicensedEntity:
    entity = LicensedEntity.objects.create(
        legal_name=details.legal_name,
        country=details.country,
        address=details.address,
        registration_number=details.registration_number,
        tax_number=details.tax_number,
    )
    Member.objects.create(entity=entity, user=owner, role=Member.Role.OWNER)
    return entity


def _store(
    *,
    number: UUID,
    account: User,
    package: Package,
    entity: LicensedEntity,
    terms: LicenceTerms,
    signer_name: str,
    signer_title: str,
    evidence: NetworkEvidence,
) -> LicenceSignature:
    sentences = {each.key: each.text for each in parse_affirmations(terms.text)}
    marks: dict[str, str | bool] = {}
    for key, sentence in {"authority": AUTHORITY, **sentences}.items():
        marks |= {f"{key}_text": sentence, f"{key}_affirmed": True}
    signature = LicenceSignature(
        id=number,
        terms=terms,
        terms_sha256=terms.sha256,
        terms_body=bytes(terms.body),
        package=package,
        entity=entity,
        entity_legal_name=entity.legal_name,
        entity_registration_number=entity.registration_number,
        entity_country=entity.country,
        entity_address=entity.address,
        entity_tax_number=entity.tax_number,
        signer_name=signer_name,
        signer_title=signer_title,
        account=account,
        account_email=account.email,
        consent_text=CONSENT,
        consent_given=True,
        remote_address=evidence.remote_address,
        user_agent=evidence.user_agent[:400],
        **marks,
    )
    signature.save()
    # Time, position and digests were written by Postgres.
    signature.refresh_from_db()
    _countersign(signature)
    licence_signed.send(LicenceSignature, signature=signature)
    return signature


def _countersign(signature: LicenceSignature) -> None:
    try:
        countersign(signature)
    except (SigningKey.DoesNotExist, PrivateKeyError) as error:
        # What failed is for the operator's log; a signer learns that nothing was signed.
        logger.exception("a licence could not be countersigned")
        raise SigningRefused(
            "We cannot countersign licences right now, so nothing was signed. Please try later."
        ) from error
