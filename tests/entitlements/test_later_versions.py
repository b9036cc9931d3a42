"""A version that opens to a buyer, whenever it does, brings its buyer receipt."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from touchstone.statement import parse_statement

from catalog.models import PackageVersion
from catalog.publishing import publish_version
from entitlements.buyer_receipts import ensure_buyer_receipt
from entitlements.completion import complete_purchase
from entitlements.links import issue_link
from entitlements.models import (
    BuyerReceipt,
    Hold,
    MaintenancePeriod,
    Outbox,
    Payment,
    Purchase,
)
from entitlements.outbox import run_due
from entitlements.purchasing import open_purchase
from licensing.models import LicenceTerms, LicensedEntity, User
from receipts.keys import create_key
from tests.catalog.reading import shown
from tests.people import signed_in
from tests.shop import next_version, payment_for, publish_after_the_first_month, retire, sign


def held(purchase: Purchase) -> list[str]:
    """The versions that a purchase has buyer receipts for."""
    rows = BuyerReceipt.objects.filter(entitlement__purchase=purchase).order_by("pk")
    return [row.version.version for row in rows]


def maintain(purchase: Purchase, *, days: int = 365) -> None:
    """Pay for maintenance from the end of the first month."""
    first = MaintenancePeriod.objects.get(entitlement=purchase.entitlement)
    payment = Payment.objects.create(
        purchase=purchase,
        kind="charge",
        provider="stripe",
        reference="in_renewal",
        amount_minor=240_000,
        currency="USD",
        recorded_by="test",
    )
    MaintenancePeriod.objects.create(
        entitlement=purchase.entitlement,
        payment=payment,
        starts_at=first.ends_at,
        ends_at=first.ends_at + timedelta(days=days),
    )


def test_a_published_version_brings_each_buyer_its_receipt(
    bought: Purchase, package_folder: Path
) -> None:
    version = next_version(package_folder)
    assert held(bought) == ["1.0.0"]
    run_due()
    assert held(bought) == ["1.0.0", "1.1.0"]
    row = BuyerReceipt.objects.first()
    assert row is not None
    predicate = parse_statement(row.receipt.payload).predicate
    assert predicate["package"] == {"slug": "kimi-k3-8xb300", "version": "1.1.0"}
    assert row.benchmark_receipt == version.benchmark_receipt


@pytest.mark.parametrize(
    ("person", "status"), [("owner", 200), ("team_mate", 200), ("outsider", 404)]
)
def test_its_members_alone_fetch_it(
    bought: Purchase,
    package_folder: Path,
    person: str,
    status: int,
    request: pytest.FixtureRequest,
    client: Client,
) -> None:
    next_version(package_folder)
    path = f"/account/purchases/{bought.pk}/1.1.0/buyer-receipt.json"
    member = signed_in(request.getfixturevalue(person))
    assert member.get(path).status_code == 404
    run_due()
    assert member.get(path).status_code == status
    assert client.get(path).headers["Location"].startswith("/accounts/login/")


def test_the_account_says_that_it_is_being_signed(
    bought: Purchase, package_folder: Path, owner: User
) -> None:
    next_version(package_folder)
    page = f"/account/purchases/{bought.pk}/"
    assert "The buyer receipt of this version is being signed." in shown(signed_in(owner).get(page))
    run_due()
    text = shown(signed_in(owner).get(page))
    assert "is being signed" not in text
    assert "--buyer-receipt buyer-receipt-1.1.0.json" in text


def test_a_missing_buyer_key_stops_no_publishing(bought: Purchase, package_folder: Path) -> None:
    retire("buyer")
    assert next_version(package_folder).state == "published"
    run_due()
    assert held(bought) == ["1.0.0"]
    create_key(purpose="buyer")
    run_due()
    assert held(bought) == ["1.0.0", "1.1.0"]


def test_one_buyers_failure_stays_alone(
    bought: Purchase,
    package_folder: Path,
    owner: User,
    entity: LicensedEntity,
    terms: LicenceTerms,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    signature = sign(account=owner, version=bought.version, entity=entity, terms=terms)
    second = open_purchase(signature=signature, buyer=owner)
    complete_purchase(purchase=second, payment=payment_for(second))
    next_version(package_folder)

    def failing(**arguments: object) -> object:
        if getattr(arguments["entitlement"], "purchase_id", None) == bought.pk:
            raise RuntimeError("this one alone")
        return ensure_buyer_receipt(**arguments)  # type: ignore[arg-type]  # passed on as they came

    monkeypatch.setattr("entitlements.owed_receipts.ensure_buyer_receipt", failing)
    run_due()
    assert (held(bought), held(second)) == (["1.0.0"], ["1.0.0", "1.1.0"])
    [failed] = Outbox.objects.filter(kind="buyer_receipt", done_at__isnull=True)
    assert "this one alone" in failed.last_error


def test_publishing_again_and_working_again_add_nothing(
    bought: Purchase, package_folder: Path
) -> None:
    next_version(package_folder)
    run_due()
    publish_version(folder=package_folder)
    for row in list(Outbox.objects.filter(kind__startswith="buyer_receipt")):
        Outbox.objects.create(kind=row.kind, payload=row.payload)
    run_due()
    assert held(bought) == ["1.0.0", "1.1.0"]


def test_a_version_after_maintenance_brings_nothing_until_it_is_paid_for(
    bought: Purchase, package_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_after_the_first_month(package_folder, monkeypatch)
    run_due()
    assert held(bought) == ["1.0.0"]
    maintain(bought)
    run_due()
    assert held(bought) == ["1.0.0", "1.1.0"]


def test_a_version_under_a_hold_brings_it_when_the_hold_is_released(
    bought: Purchase, package_folder: Path
) -> None:
    hold = Hold.objects.create(entitlement=bought.entitlement, reason=Hold.Reason.DISPUTE)
    next_version(package_folder)
    run_due()
    assert held(bought) == ["1.0.0"]
    hold.released_at = timezone.now()
    hold.save()
    run_due()
    assert held(bought) == ["1.0.0", "1.1.0"]


def test_a_link_sees_to_what_nobody_told(
    bought: Purchase, package_folder: Path, owner: User
) -> None:
    Hold.objects.create(entitlement=bought.entitlement, reason=Hold.Reason.DISPUTE)
    version = next_version(package_folder)
    run_due()
    Hold.objects.update(released_at=timezone.now())  # in bulk: no signal is sent
    for _ in range(2):
        issue_link(entitlement=bought.entitlement, version=version, member=owner)
    assert Outbox.objects.filter(kind="buyer_receipt").count() == 1
    run_due()
    assert held(bought) == ["1.0.0", "1.1.0"]


def test_who_buys_later_gets_one_for_each_version_that_is_open(
    published: PackageVersion,
    package_folder: Path,
    owner: User,
    entity: LicensedEntity,
    terms: LicenceTerms,
) -> None:
    newest = next_version(package_folder)
    signature = sign(account=owner, version=newest, entity=entity, terms=terms)
    purchase = open_purchase(signature=signature, buyer=owner)
    complete_purchase(purchase=purchase, payment=payment_for(purchase))
    assert held(purchase) == ["1.1.0"]
    run_due()
    assert held(purchase) == ["1.1.0", "1.0.0"]


def test_publishing_without_buyers_writes_no_work(published: PackageVersion) -> None:
    assert not Outbox.objects.exists()
