"""The account: what each member sees of their entities, and how often that asks Postgres."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from catalog.models import PackageVersion
from catalog.publishing import publish_version
from entitlements.completion import complete_purchase
from entitlements.links import issue_link
from entitlements.models import Hold, MaintenancePeriod, Payment, Purchase
from entitlements.purchasing import open_purchase
from licensing.models import LicenceTerms, LicensedEntity, User
from tests.people import signed_in
from tests.shop import payment_for, sign

KITS = "/api/v1/kits/"


@pytest.fixture
def buy(owner: User, published: PackageVersion, entity: LicensedEntity, terms: LicenceTerms) -> Any:
    """Buys again, each time with a new signature."""

    def once() -> Purchase:
        signature = sign(account=owner, version=published, entity=entity, terms=terms)
        purchase = open_purchase(signature=signature, buyer=owner)
        complete_purchase(purchase=purchase, payment=payment_for(purchase))
        return purchase

    return once


def publish_next(folder: Path, version: str) -> PackageVersion:
    definition = folder / "package.yaml"
    text = definition.read_text()
    current = text.partition("\nversion: ")[2].partition("\n")[0]
    definition.write_text(text.replace(f"version: {current}", f"version: {version}", 1))
    return publish_version(folder=folder)[0]


def asked(user: User, path: str) -> int:
    """How often a page asks Postgres."""
    client = signed_in(user)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


def test_the_account_page_asks_as_often_for_five_purchases_as_for_one(
    buy: Any, owner: User, published: PackageVersion, entity: LicensedEntity, terms: LicenceTerms
) -> None:
    buy()
    sign(account=owner, version=published, entity=entity, terms=terms)
    one = asked(owner, "/account/")
    for _ in range(4):
        buy()
        sign(account=owner, version=published, entity=entity, terms=terms)
    assert signed_in(owner).get("/account/").text.count("paid <time") == 5
    assert asked(owner, "/account/") == one <= 5


def test_the_api_asks_as_often_for_five_purchases_as_for_one(
    buy: Any, owner: User, package_folder: Path
) -> None:
    buy()
    one = asked(owner, KITS)
    for number in range(4):
        buy()
        publish_next(package_folder, f"1.{number + 1}.0")
    assert len(signed_in(owner).get(KITS).json()) == 5 * 5
    assert asked(owner, KITS) == one <= 11


def test_a_purchases_page_asks_as_often_for_five_versions_and_a_long_log(
    buy: Any, owner: User, package_folder: Path
) -> None:
    bought = buy()
    page = f"/account/purchases/{bought.pk}/"
    one = asked(owner, page)
    for number in range(4):
        version = publish_next(package_folder, f"1.{number + 1}.0")
        issue_link(entitlement=bought.entitlement, version=version, member=owner)
    assert signed_in(owner).get(page).text.count("<h3>") == 5
    assert asked(owner, page) == one <= 16


@pytest.mark.parametrize("person", ["owner", "team_mate"])
def test_members_see_every_kit_open(
    bought: Purchase, person: str, request: pytest.FixtureRequest
) -> None:
    found = signed_in(request.getfixturevalue(person)).get(KITS).json()
    assert bought.version.kit is not None
    assert found == [
        {
            "purchase": str(bought.pk),
            "entity": "Meridian Labs GmbH",
            "entity_id": str(bought.entity_id),
            "package": "kimi-k3-8xb300",
            "version": "1.0.0",
            "kit_sha256": bought.version.kit_id,
            "kit_bytes": bought.version.kit.size,
            "open": True,
            "closed_because": "",
            "sign_terms_at": "",
        }
    ]


def test_an_outsider_sees_an_empty_account(bought: Purchase, outsider: User) -> None:
    client = signed_in(outsider)
    assert client.get(KITS).json() == []
    page = client.get("/account/").text
    assert "Nothing bought yet" in page
    assert "Elsewhere AB" in page
    assert "Meridian" not in page


def test_what_is_not_paid_is_no_kit(pending: Purchase, owner: User) -> None:
    client = signed_in(owner)
    assert client.get(KITS).json() == []
    assert "waiting for $2,500" in client.get("/account/").text
    page = f"/account/purchases/{pending.pk}/"
    assert "Nothing was charged yet" in client.get(page).text
    assert client.post(f"{page}1.0.0/link/").status_code == 404
    assert client.get(f"{page}1.0.0/buyer-receipt.json").status_code == 404
    assert client.post(f"/api/v1/kits/{pending.pk}/1.0.0/links/").status_code == 404


def test_a_hold_closes_its_own_purchase_alone(buy: Any, owner: User) -> None:
    held, free = buy(), buy()
    Hold.objects.create(entitlement=held.entitlement, reason=Hold.Reason.DISPUTE)
    found = {kit["purchase"]: kit["closed_because"] for kit in signed_in(owner).get(KITS).json()}
    assert found == {
        str(held.pk): "Access is closed: payment disputed.",
        str(free.pk): "",
    }


def test_a_released_hold_opens_again(bought: Purchase, owner: User) -> None:
    hold = Hold.objects.create(entitlement=bought.entitlement, reason=Hold.Reason.BREACH)
    assert [kit["open"] for kit in signed_in(owner).get(KITS).json()] == [False]
    hold.released_at = timezone.now()
    hold.save()
    assert [kit["open"] for kit in signed_in(owner).get(KITS).json()] == [True]


@pytest.mark.parametrize(("days", "is_open"), [(27, True), (40, False)])
def test_a_version_from_after_maintenance_is_closed(
    bought: Purchase, owner: User, package_folder: Path, days: int, is_open: bool
) -> None:
    later = timezone.now() + timedelta(days=days)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("catalog.publishing.timezone.now", lambda: later)
        publish_next(package_folder, "1.1.0")
    found = {kit["version"]: kit["open"] for kit in signed_in(owner).get(KITS).json()}
    assert found == {"1.0.0": True, "1.1.0": is_open}
    link = f"/account/purchases/{bought.pk}/1.1.0/link/"
    response = signed_in(owner).post(link)
    assert response.status_code == (200 if is_open else 403)
    assert ("Maintenance had ended" in response.text) is not is_open


def test_a_renewal_opens_what_was_published_in_its_month(
    bought: Purchase, owner: User, package_folder: Path
) -> None:
    later = timezone.now() + timedelta(days=40)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("catalog.publishing.timezone.now", lambda: later)
        publish_next(package_folder, "1.1.0")
    first = MaintenancePeriod.objects.get()
    renewal = payment_for(bought)
    MaintenancePeriod.objects.create(
        entitlement=bought.entitlement,
        payment=Payment.objects.create(
            purchase=bought,
            kind=Payment.Kind.CHARGE,
            provider=renewal.provider,
            reference=renewal.reference,
            amount_minor=bought.maintenance_minor,
            currency=bought.currency,
            recorded_by="test",
        ),
        starts_at=first.ends_at,
        ends_at=first.ends_at + timedelta(days=30),
    )
    assert [kit["open"] for kit in signed_in(owner).get(KITS).json()] == [True, True]


def test_what_was_bought_stays_in_sight_when_it_is_withdrawn(
    buy: Any, owner: User, package_folder: Path
) -> None:
    bought = buy()
    newer = publish_next(package_folder, "1.1.0")
    PackageVersion.objects.exclude(pk=newer.pk).update(
        state="withdrawn", withdrawn_at=timezone.now(), withdrawal_reason="wrong figure"
    )
    signature = sign(
        account=owner, version=newer, entity=bought.entity, terms=bought.signature.terms
    )
    second = open_purchase(signature=signature, buyer=owner)
    complete_purchase(purchase=second, payment=payment_for(second))
    found = [(kit["purchase"], kit["version"]) for kit in signed_in(owner).get(KITS).json()]
    assert found == [
        (str(second.pk), "1.1.0"),
        (str(bought.pk), "1.1.0"),
        (str(bought.pk), "1.0.0"),
    ]
