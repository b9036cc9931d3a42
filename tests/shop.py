"""The shop's state in steps: published, signed, pending, bought."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from catalog.models import PackageVersion
from catalog.publishing import publish_version
from entitlements.completion import complete_purchase
from entitlements.entering import IncomingPayment
from entitlements.models import Outbox, Purchase
from entitlements.purchasing import open_purchase
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, User
from licensing.publishing_terms import publish_terms
from licensing.signing import EntityDetails, NetworkEvidence, sign_licence
from licensing.terms_text import AFFIRMATIONS
from receipts.key_life import retire_key, revoke_key
from receipts.keys import active_key, create_key
from receipts.models import SigningKey

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "packages" / "kimi-k3-8xb300"
TERMS = ROOT / "licences" / "enterprise-1.0.md"
ALL_MARKS = dict.fromkeys(("authority", *AFFIRMATIONS), True)


def make_keys() -> None:
    """An active key for every purpose."""
    for purpose in SigningKey.Purpose.values:
        create_key(purpose=purpose)


def retire(purpose: str) -> SigningKey:
    """End the signing time of the active key of a purpose."""
    return retire_key(kid=active_key(purpose).kid)


def revoke(purpose: str) -> SigningKey:
    """Take back the active key of a purpose."""
    return revoke_key(
        kid=active_key(purpose).kid,
        compromised_since=timezone.now(),
        reason="a laptop was stolen",
    )


@pytest.fixture
def keys(db: None) -> None:
    """An active key for every purpose."""
    make_keys()


@pytest.fixture
def package_folder(tmp_path: Path) -> Path:
    """A copy of the sample package that a test may change."""
    return Path(shutil.copytree(SAMPLE, tmp_path / "package"))


@pytest.fixture
def published(keys: None) -> PackageVersion:
    """The sample package, on sale."""
    return publish_version(folder=SAMPLE)[0]


@pytest.fixture
def terms(db: None) -> LicenceTerms:
    """The sample terms, published."""
    return publish_terms(path=TERMS)[0]


def sign(
    *,
    account: User,
    version: PackageVersion,
    entity: LicensedEntity | EntityDetails,
    terms: LicenceTerms,
    **changed: Any,
) -> LicenceSignature:
    """Sign as the sample buyer does; `changed` replaces arguments of `sign_licence`."""
    arguments: dict[str, Any] = {
        "account": account,
        "package": version.package,
        "entity": entity,
        "read_terms_sha256": terms.sha256,
        "family": terms.family,
        "signer_name": account.name or "Ada Okafor",
        "signer_title": "Chief Technology Officer",
        "affirmed": ALL_MARKS,
        "consented": True,
        "evidence": NetworkEvidence(remote_address="203.0.113.9", user_agent="a browser"),
    }
    signature = sign_licence(**(arguments | changed))
    # Its letter has gone out: what a test finds in the outbox is its own.
    Outbox.objects.filter(kind="licence_signed").delete()
    return signature


@pytest.fixture
def signature(
    owner: User, published: PackageVersion, entity: LicensedEntity, terms: LicenceTerms
) -> LicenceSignature:
    """The owner's signature for the sample package."""
    return sign(account=owner, version=published, entity=entity, terms=terms)


@pytest.fixture
def pending(signature: LicenceSignature, owner: User) -> Purchase:
    """A purchase that waits for its payment."""
    return open_purchase(signature=signature, buyer=owner)


def next_version(folder: Path, *, version: str = "1.1.0") -> PackageVersion:
    """Publish the sample package under another version; `folder` is a copy of it to change."""
    path = folder / "package.yaml"
    path.write_text(path.read_text().replace("version: 1.0.0", f"version: {version}"))
    return publish_version(folder=folder)[0]


def publish_after_the_first_month(folder: Path, monkeypatch: pytest.MonkeyPatch) -> PackageVersion:
    """Publish the next version as if 60 days had passed."""
    later = timezone.now() + timedelta(days=60)
    with monkeypatch.context() as patch:
        patch.setattr("catalog.publishing.timezone.now", lambda: later)
        return next_version(folder)


def payment_for(purchase: Purchase, **changed: Any) -> IncomingPayment:
    """The exact payment that a purchase asks for."""
    arguments: dict[str, Any] = {
        "provider": "stripe",
        "reference": f"in_{uuid4().hex}",
        "amount_minor": purchase.total_minor,
        "currency": purchase.currency,
        "recorded_by": "test",
    }
    return IncomingPayment(**(arguments | changed))


@pytest.fixture
def bought(pending: Purchase) -> Purchase:
    """A purchase that is paid."""
    complete_purchase(purchase=pending, payment=payment_for(pending))
    pending.refresh_from_db()
    return pending
