"""Faults of money and access that users of other shops reported: each by its name, end to end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from entitlements.inbox import retry_waiting
from entitlements.links import LinkRefused, issue_link
from entitlements.models import (
    Entitlement,
    Outbox,
    Payment,
    Purchase,
    Subscription,
)
from entitlements.outbox import run_due
from entitlements.purchasing import open_purchase
from entitlements.reconciling import sweep
from entitlements.renewing import renew_maintenance
from entitlements.stripe.checkout import start_checkout
from licensing.models import LicenceTerms, LicensedEntity, User
from tests.courier import Courier
from tests.people import signed_in
from tests.provider import Provider, paid_event, send
from tests.sandbox.conftest import DAY, FAILING_LATER, advance, control
from tests.shop import payment_for, publish_after_the_first_month, sign


@dataclass
class Surfaces:
    """Every way to the kit: a link that was issued before, a new one, the page, the API."""

    purchase: Purchase
    owner: User
    issued: str

    def open(self) -> list[bool]:
        """Which of them lead to it now."""
        entitlement = self.purchase.entitlement
        version = entitlement.version
        client = signed_in(self.owner)
        used = Client().get(f"/download/{self.issued}", headers={"Range": "bytes=0-0"})
        used.getvalue()
        try:
            issue_link(entitlement=entitlement, version=version, member=self.owner)
            new = True
        except LinkRefused:
            new = False
        page = client.get(self.purchase.get_absolute_url()).text
        kits: Any = client.get("/api/v1/kits/").json()
        return [
            used.status_code == 206,
            new,
            f"/{version.version}/link/" in page,
            all(each["open"] for each in kits),
        ]


@pytest.fixture
def surfaces(paid: Purchase, owner: User) -> Surfaces:
    entitlement = paid.entitlement
    token = issue_link(entitlement=entitlement, version=entitlement.version, member=owner)
    return Surfaces(paid, owner, token)


def refund(provider: Provider, amount: int = 250_000) -> None:
    charge = provider.client.v1.charges.list().data[-1]
    provider.client.v1.refunds.create({"charge": charge.id, "amount": amount})


def test_a_buyer_is_charged_and_gets_nothing(
    provider: Provider, courier: Courier, pending: Purchase
) -> None:
    provider.pay(start_checkout(pending))
    courier.deliver("checkout.session.completed")
    Outbox.objects.all().delete()  # the queue loses everything
    assert Entitlement.objects.get().purchase == pending
    assert pending.payments.get().amount_minor == 250_000


def test_the_webhook_arrives_before_the_shop_has_committed_the_order(
    webhook_secret: str, pending: Purchase
) -> None:
    early = paid_event(pending)
    known = early["data"]["object"]["client_reference_id"]
    unknown = known[:-12] + "000000000000"
    early["data"]["object"]["client_reference_id"] = unknown
    assert send(early).json() == {"outcome": "waiting"}
    copy = Purchase.objects.filter(pk=pending.pk)
    copy.update(id=unknown)  # now the order is committed
    assert retry_waiting() == 1
    assert Purchase.objects.get(pk=unknown).state == "paid"


def test_the_same_event_twice_and_the_return_page_make_one_order(
    provider: Provider, courier: Courier, pending: Purchase, owner: User
) -> None:
    provider.pay(start_checkout(pending))
    event = provider.event()
    answers = [send(event).json()["outcome"] for _ in range(2)]
    signed_in(owner).get(f"/account/purchases/{pending.pk}/return/")
    courier.deliver()
    assert answers == ["applied", "applied"]
    assert (Payment.objects.count(), Entitlement.objects.count()) == (1, 1)


def test_an_operator_replays_an_event_without_a_second_effect(
    provider: Provider, courier: Courier, paid: Purchase
) -> None:
    event = provider.event()["id"]
    before = (Payment.objects.count(), Outbox.objects.count())
    call_command("replay_event", event, verbosity=0)
    assert (Payment.objects.count(), Outbox.objects.count()) == before


def test_two_checkouts_both_paid_refund_the_second_and_two_entities_may_buy_twice(
    provider: Provider,
    courier: Courier,
    paid: Purchase,
    owner: User,
    terms: LicenceTerms,
) -> None:
    provider.pay_amount(paid.pk, 250_000)
    courier.deliver()
    run_due()
    assert [each.amount for each in provider.refunds()] == [250_000]
    other = LicensedEntity.objects.create(legal_name="Meridian France", country="FR", address="1")
    other.members.create(user=owner, role="owner")
    signature = sign(account=owner, version=paid.version, entity=other, terms=terms)
    provider.pay(start_checkout(open_purchase(signature=signature, buyer=owner)))
    courier.deliver()
    run_due()
    assert (Entitlement.objects.count(), len(provider.refunds())) == (2, 1)


def test_a_full_refund_ends_access_on_every_surface_at_once(
    provider: Provider, courier: Courier, surfaces: Surfaces
) -> None:
    assert surfaces.open() == [True] * 4
    refund(provider)
    courier.deliver()
    assert surfaces.open() == [False] * 4


@pytest.mark.parametrize("mode", ["succeed", "pending", "pending_then_fail", "fail"])
def test_a_partial_pending_or_failed_refund_takes_nothing_away(
    provider: Provider, courier: Courier, surfaces: Surfaces, mode: str
) -> None:
    control(provider.server, "POST", "/refunds", {"mode": mode})
    refund(provider, 5_000 if mode == "succeed" else 250_000)
    courier.deliver()
    assert surfaces.open() == [True] * 4
    if mode == "pending_then_fail":
        advance(provider.server, 30 * DAY)
        courier.deliver()
        assert surfaces.open() == [True] * 4


@pytest.mark.parametrize(("end", "opens"), [("won", True), ("lost", False)])
@pytest.mark.parametrize("heard", [True, False])
def test_a_dispute_suspends_and_its_end_decides_also_when_it_was_missed(
    provider: Provider,
    courier: Courier,
    surfaces: Surfaces,
    end: str,
    opens: bool,
    heard: bool,
) -> None:
    charge = provider.client.v1.charges.list().data[0].id
    opened = control(provider.server, "POST", "/disputes", {"charge": charge})
    courier.deliver()
    assert surfaces.open() == [False] * 4
    control(provider.server, "POST", f"/disputes/{opened['id']}", {"status": end})
    if heard:
        courier.deliver()
    else:
        courier.lose()
        sweep()
    assert surfaces.open() == [opens] * 4


def test_unpaid_maintenance_keeps_what_was_released_and_paying_again_opens_the_rest(
    provider: Provider,
    courier: Courier,
    pending: Purchase,
    package_folder: Path,
    owner: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    provider.pay(start_checkout(pending), FAILING_LATER)
    courier.deliver()
    pending.refresh_from_db()
    provider.client.v1.subscriptions.cancel(Subscription.objects.get().reference)
    courier.deliver()
    version = publish_after_the_first_month(package_folder, monkeypatch)
    entitlement = pending.entitlement
    issue_link(entitlement=entitlement, version=entitlement.version, member=owner)
    with pytest.raises(LinkRefused, match="Maintenance had ended"):
        issue_link(entitlement=entitlement, version=version, member=owner)
    renewed = payment_for(pending, amount_minor=20_000)
    starts = version.published_at
    renew_maintenance(purchase=pending, payment=renewed, starts_at=starts)
    assert issue_link(entitlement=entitlement, version=version, member=owner)


@pytest.mark.parametrize("gone", ["deleted", "disabled"])
def test_who_leaves_takes_nothing_from_the_entity_and_their_links_end(
    surfaces: Surfaces, team_mate: User, gone: str
) -> None:
    entitlement = surfaces.purchase.entitlement
    link = issue_link(entitlement=entitlement, version=entitlement.version, member=team_mate)
    if gone == "deleted":
        call_command("delete_account", team_mate.email, "--yes", verbosity=0)
    else:
        User.objects.filter(pk=team_mate.pk).update(is_active=False)
    assert Client().get(f"/download/{link}").status_code == 403
    assert surfaces.open() == [True] * 4


def test_the_return_page_asks_and_moves_on(
    provider: Provider, pending: Purchase, owner: User
) -> None:
    address = start_checkout(pending)
    path = f"/account/purchases/{pending.pk}/return/"
    waiting = signed_in(owner).get(path)
    assert (waiting.status_code, "Refresh" in waiting.headers) == (200, True)
    provider.pay(address)
    assert signed_in(owner).get(path)["Location"] == pending.get_absolute_url()


def test_the_invoice_has_the_companys_name_tax_number_and_purchase_order(
    provider: Provider, courier: Courier, pending: Purchase
) -> None:
    pending.purchase_order = "PO-4711"
    pending.save()
    provider.pay(start_checkout(pending))
    courier.deliver()
    run_due()
    invoice = provider.client.v1.invoices.list().data[0].to_dict()
    assert invoice["customer_name"] == "Meridian Labs GmbH"
    assert [each["value"] for each in invoice["customer_tax_ids"]] == ["DE123456789"]
    assert [each["value"] for each in invoice["custom_fields"]] == ["PO-4711"]
