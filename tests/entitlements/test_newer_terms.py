"""A version under newer terms opens when they are signed; what was open stays open."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from catalog.models import PackageVersion
from entitlements.agreeing import AgreementRefused, bind_newer_terms
from entitlements.doors import closed_because
from entitlements.links import LinkRefused, issue_link
from entitlements.models import AdditionalSignature, BuyerReceipt, Purchase
from entitlements.outbox import run_due
from entitlements.purchasing import PurchaseRefused, open_purchase
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, User
from licensing.publishing_terms import publish_text
from tests.licence_form import LICENCE, MARKS, summarised
from tests.people import signed_in
from tests.shop import TERMS, next_version, sign

BUY, KITS = "/packages/kimi-k3-8xb300/buy/", "/api/v1/kits/"


def publish_terms(version: str, family: str = "enterprise") -> LicenceTerms:
    text = TERMS.read_bytes().replace(b"Version: 1.0", f"Version: {version}".encode())
    return publish_text(body=text.replace(b"Family: enterprise", f"Family: {family}".encode()))[0]


@pytest.fixture
def newer_terms(bought: Purchase) -> LicenceTerms:
    """Terms that were published after the purchase."""
    return publish_terms("1.1")


@pytest.fixture
def later(newer_terms: LicenceTerms, package_folder: Path) -> PackageVersion:
    """A version that was published under the newer terms."""
    return next_version(package_folder)


@pytest.fixture
def newer(
    later: PackageVersion, owner: User, entity: LicensedEntity, newer_terms: LicenceTerms
) -> LicenceSignature:
    """The owner's signature of the newer terms."""
    return sign(account=owner, version=later, entity=entity, terms=newer_terms)


def open_versions(user: User) -> dict[str, str]:
    return {k["version"]: k["closed_because"] for k in signed_in(user).get(KITS).json()}


def test_a_version_under_newer_terms_is_closed_and_what_was_bought_stays_open(
    bought: Purchase, later: PackageVersion, owner: User
) -> None:
    asks = "This version asks for newer terms, enterprise 1.1: sign the newer terms first."
    assert open_versions(owner) == {"1.1.0": asks, "1.0.0": ""}
    with pytest.raises(LinkRefused, match="sign the newer terms first"):
        issue_link(entitlement=bought.entitlement, version=later, member=owner)
    told = {kit["version"]: kit["sign_terms_at"] for kit in signed_in(owner).get(KITS).json()}
    assert told["1.1.0"].endswith(f"{LICENCE}?purchase={bought.pk}")
    assert told["1.0.0"] == ""
    run_due()
    assert not BuyerReceipt.objects.filter(version=later).exists()
    page = signed_in(owner).get(bought.get_absolute_url()).text
    assert f'<a href="{LICENCE}?purchase={bought.pk}">Read and sign them</a>' in page


def test_a_version_from_before_the_newer_terms_stays_open(
    bought: Purchase, package_folder: Path, owner: User
) -> None:
    between = next_version(package_folder)
    publish_terms("1.1")
    assert closed_because(entitlement=bought.entitlement, version=between) == ""


def test_signing_them_opens_it_on_every_surface(
    bought: Purchase, later: PackageVersion, newer_terms: LicenceTerms, owner: User
) -> None:
    client = signed_in(owner)
    answers = {
        "terms_sha256": newer_terms.sha256,
        "entity": str(bought.entity_id),
        "signer_name": "Ada Okafor",
        "signer_title": "CTO",
    } | dict.fromkeys(MARKS, "on")
    done = client.post(f"{LICENCE}?purchase={bought.pk}", summarised(client, answers))
    assert done.headers["Location"] == bought.get_absolute_url()
    assert "Use the signature of enterprise 1.1" in client.get(bought.get_absolute_url()).text
    made = LicenceSignature.objects.get(terms=newer_terms)
    for _ in range(2):
        agreed = client.post(f"{bought.get_absolute_url()}terms/", {"signature": str(made.pk)})
        assert agreed.headers["Location"] == bought.get_absolute_url()
    assert AdditionalSignature.objects.get().signature == made
    assert open_versions(owner) == {"1.1.0": "", "1.0.0": ""}
    run_due()
    assert BuyerReceipt.objects.filter(version=later).exists()
    assert "Pay for it" not in client.get("/account/").text


@pytest.mark.parametrize(("named", "is_open"), [("1.0", True), ("1.1", False), ("9.9", False)])
def test_a_definition_may_name_its_terms(
    bought: Purchase,
    newer_terms: LicenceTerms,
    package_folder: Path,
    named: str,
    is_open: bool,
) -> None:
    path = package_folder / "package.yaml"
    name = f'tier: enterprise\nlicence_terms: {{family: enterprise, version: "{named}"}}'
    path.write_text(path.read_text().replace("tier: enterprise", name))
    version = next_version(package_folder)
    assert (closed_because(entitlement=bought.entitlement, version=version) == "") is is_open


def test_terms_of_another_family_do_not_count(
    bought: Purchase, later: PackageVersion, owner: User, entity: LicensedEntity
) -> None:
    other = publish_terms("2.0", family="evaluation")
    signature = sign(account=owner, version=later, entity=entity, terms=other)
    bind_newer_terms(entitlement=bought.entitlement, signature=signature)
    assert "newer terms" in closed_because(entitlement=bought.entitlement, version=later)


def test_a_signature_binds_one_thing(
    bought: Purchase, newer: LicenceSignature, owner: User
) -> None:
    bind_newer_terms(entitlement=bought.entitlement, signature=newer)
    with pytest.raises(PurchaseRefused, match="binds an earlier purchase"):
        open_purchase(signature=newer, buyer=owner)
    with pytest.raises(AgreementRefused, match="used already"):
        bind_newer_terms(entitlement=bought.entitlement, signature=bought.signature)


def test_what_asks_for_newer_terms_is_not_bought_with_older_ones(
    signature: LicenceSignature, package_folder: Path, owner: User, entity: LicensedEntity
) -> None:
    before = open_purchase(
        signature=sign(account=owner, version=_on_sale(), entity=entity, terms=signature.terms),
        buyer=owner,
    )
    newer, later = publish_terms("1.1"), next_version(package_folder)
    answer = signed_in(owner).post(BUY, {"signature": str(signature.pk)}, follow=True)
    assert answer.redirect_chain == [(LICENCE, 302)]
    assert "asks for newer terms, enterprise 1.1: sign the newer terms first." in answer.text
    assert Purchase.objects.get() == before
    # What was opened before is still paid at its own version.
    assert open_purchase(signature=before.signature, buyer=owner).version != later
    again = sign(account=owner, version=later, entity=entity, terms=newer)
    assert open_purchase(signature=again, buyer=owner).version == later


def test_a_version_whose_terms_nobody_published_is_not_sold(
    signature: LicenceSignature, package_folder: Path, owner: User
) -> None:
    path = package_folder / "package.yaml"
    name = 'tier: enterprise\nlicence_terms: {family: enterprise, version: "9.9"}'
    path.write_text(path.read_text().replace("tier: enterprise", name))
    next_version(package_folder)
    with pytest.raises(PurchaseRefused, match="not published yet"):
        open_purchase(signature=signature, buyer=owner)


def _on_sale() -> PackageVersion:
    return PackageVersion.on_sale().get()


def test_nobody_elses_signature_is_bound(
    bought: Purchase, later: PackageVersion, outsider: User, newer_terms: LicenceTerms, owner: User
) -> None:
    theirs = outsider.memberships.get().entity
    foreign = sign(account=outsider, version=later, entity=theirs, terms=newer_terms)
    page = f"{bought.get_absolute_url()}terms/"
    assert signed_in(owner).post(page, {"signature": str(foreign.pk)}).status_code == 400
    assert signed_in(outsider).post(page, {"signature": str(foreign.pk)}).status_code == 404
    with pytest.raises(AgreementRefused):
        bind_newer_terms(entitlement=bought.entitlement, signature=foreign)
    assert not AdditionalSignature.objects.exists()


def test_postgres_holds_entity_package_and_use_together(
    bought: Purchase, newer: LicenceSignature
) -> None:
    made = bind_newer_terms(entitlement=bought.entitlement, signature=newer)
    for change in (
        "UPDATE entitlements_additionalsignature SET bound_at = now()",
        "DELETE FROM entitlements_additionalsignature",
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            connection.cursor().execute(change)
    with pytest.raises(IntegrityError, match="binds something already"), transaction.atomic():
        Purchase.objects.create(
            signature=newer,
            package=bought.package,
            version=bought.version,
            entity=bought.entity,
            currency=bought.currency,
            price_minor=bought.price_minor,
            maintenance_minor=bought.maintenance_minor,
        )
    assert AdditionalSignature.objects.get() == made
