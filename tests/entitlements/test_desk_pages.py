"""The desk's pages: a preview before what moves money, one effect after, words for a refusal."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from entitlements.desk.views import LISTS
from entitlements.disputes import track_dispute
from entitlements.models import (
    DeskAction,
    HeldPayment,
    Hold,
    Outbox,
    Payment,
    ProviderEvent,
    Purchase,
    Refund,
)
from entitlements.pro_forma import issue_pro_forma
from entitlements.transfers import asked_of, record_transfer
from licensing.models import User
from tests.desk import HOME, do, text_of
from tests.money import dispute_of
from tests.transfers import nothing_opened, short, transfer_of

WHY = {"why": "as they asked"}


def statement(paid: Purchase, minor: int, **changed: Any) -> dict[str, Any]:
    return {
        "purchase": str(paid.pk),
        "amount": f"{minor // 100}.{minor % 100:02}",
        "currency": "USD",
        "received_on": "2026-01-02",
        "reference": "BANK-1",
        "why": "on the statement",
    } | changed


def test_a_transfer_is_shown_before_it_is_recorded(desk: Client, pending: Purchase) -> None:
    line = statement(pending, asked_of(pending))
    said = text_of(desk.post(do("record-transfer"), line))
    assert "opens to every member of Meridian Labs GmbH" in said
    assert 'name="confirmed" value="1"' in said
    assert nothing_opened(pending)
    for _ in range(2):
        after = desk.post(do("record-transfer"), line | {"confirmed": "1"}, follow=True)
        assert "Transfer BANK-1 is entered" in text_of(after)
    assert Payment.objects.get().amount_minor == asked_of(pending)
    action = DeskAction.objects.get()
    assert (action.actor_email, action.why) == ("fin@store.example", "on the statement")


@pytest.mark.usefixtures("bank_account")
def test_the_pro_forma_number_finds_the_purchase(desk: Client, pending: Purchase) -> None:
    paper = issue_pro_forma(purchase=pending)
    line = statement(pending, paper.amount_minor, purchase=paper.name, confirmed="1")
    assert "is entered" in text_of(desk.post(do("record-transfer"), line, follow=True))
    assert Payment.objects.get().purchase_id == pending.pk


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"amount": "1.00"}, "It will be held and open nothing. It is too little"),
        ({"amount": "99,999.00"}, "It will be held and open nothing. It is too much"),
        ({"currency": "EUR"}, "It is in EUR"),
        ({"purchase": ""}, "It names no purchase"),
    ],
)
def test_what_will_be_held_is_said_before(
    desk: Client, pending: Purchase, changed: dict[str, str], said: str
) -> None:
    line = statement(pending, asked_of(pending)) | changed
    assert said in text_of(desk.post(do("record-transfer"), line))
    desk.post(do("record-transfer"), line | {"confirmed": "1"})
    assert HeldPayment.objects.count() == 1
    assert nothing_opened(pending)


@pytest.mark.parametrize(
    "changed",
    [
        {"why": "no"},
        {"why": "    "},
        {"amount": "0"},
        {"amount": "1.005"},
        {"amount": "much"},
        {"amount": "9" * 40},
        {"purchase": "TP-9"},
        {"purchase": str(uuid4())},
        {"purchase": "x\0"},
        {"received_on": "2026-02-30"},
        {"received_on": "9999-01-01"},
        {"currency": "US"},
        {"reference": ""},
        {"reference": "x" * 51},
    ],
)
def test_a_form_that_says_nothing_does_nothing(
    desk: Client, pending: Purchase, changed: dict[str, str]
) -> None:
    line = statement(pending, asked_of(pending), confirmed="1") | changed
    assert desk.post(do("record-transfer"), line).status_code == 400
    assert not Payment.objects.exists()
    assert not HeldPayment.objects.exists()
    assert not DeskAction.objects.exists()


def test_held_transfers_are_applied_together(desk: Client, pending: Purchase, clerk: User) -> None:
    rest = asked_of(pending) - 100
    rows = [
        short(pending, clerk, reference="BANK-A", amount=100),
        short(pending, clerk, reference="BANK-B", amount=rest),
    ]
    one = {"purchase": str(pending.pk), "held": [str(rows[0].pk)], **WHY}
    assert "Nothing was done.</strong> It is too little" in text_of(
        desk.post(do("apply-held"), one)
    )
    both = one | {"held": [str(row.pk) for row in rows]}
    assert "2 held transfers become one charge" in text_of(desk.post(do("apply-held"), both))
    assert nothing_opened(pending)
    desk.post(do("apply-held"), both | {"confirmed": "1"})
    assert Payment.objects.get().reference == "BANK-A + BANK-B"


def test_held_money_is_marked_as_sent_back(desk: Client, pending: Purchase, clerk: User) -> None:
    row = short(pending, clerk, reference="BANK-A", amount=100)
    assert "this page sends no money" in text_of(desk.get(do("return-held", row.pk)))
    for _ in range(2):
        desk.post(do("return-held", row.pk), {"reference": "OUT-1", **WHY})
    row.refresh_from_db()
    assert (row.resolution, row.resolved_by) == ("returned", "desk: fin@store.example")
    assert DeskAction.objects.filter(action="return_held").count() == 1


def test_a_refund_is_previewed_and_asked_once(desk: Client, bought: Purchase) -> None:
    page = do("refund", bought.entitlement.payment_id)
    assert 'name="once"' in text_of(desk.get(page))
    wish = {"amount": "", "once": str(uuid4()), **WHY}
    said = text_of(desk.post(page, wish))
    assert "Access ends on every surface" in said
    assert not Refund.objects.exists()
    for _ in range(2):
        desk.post(page, wish | {"confirmed": "1"})
    assert Refund.objects.get().amount_minor == bought.total_minor
    too_much = wish | {"amount": "99999999.00", "once": str(uuid4())}
    assert desk.post(page, too_much).status_code == 400


def test_a_bank_refund_is_marked_as_sent(desk: Client, pending: Purchase, clerk: User) -> None:
    charge = record_transfer(**transfer_of(pending, clerk))
    desk.post(
        do("refund", charge.pk), {"amount": "5", "once": str(uuid4()), "confirmed": "1", **WHY}
    )
    page = do("refund-sent", Refund.objects.get().pk)
    refused = desk.post(page, {"reference": "BANK-1", **WHY})
    assert refused.status_code == 400
    assert "BANK-1 is a charge" in text_of(refused)
    desk.post(page, {"reference": "OUT-1", **WHY})
    assert Payment.objects.get(reference="OUT-1").amount_minor == -500


def test_a_hold_that_must_stay_says_why_and_the_way_out(desk: Client, bought: Purchase) -> None:
    track_dispute(**dispute_of(bought.entitlement.payment))
    page = do("release-hold", Hold.objects.get().pk)
    said = text_of(desk.get(page))
    assert "is open. Answer it at the provider" in said
    assert "<textarea" not in said
    assert desk.post(page, WHY).status_code == 400
    assert Hold.objects.get().released_at is None


def test_a_breach_closes_and_a_release_opens(desk: Client, bought: Purchase) -> None:
    assert "Access ends at once" in text_of(desk.get(do("place-hold", bought.pk)))
    desk.post(do("place-hold", bought.pk), WHY)
    hold = Hold.objects.get()
    assert (hold.reason, hold.note) == ("breach", WHY["why"])
    assert "Access opens again" in text_of(desk.get(do("release-hold", hold.pk)))
    desk.post(do("release-hold", hold.pk), WHY)
    hold.refresh_from_db()
    assert hold.released_at is not None


def test_an_event_is_replayed_and_a_dead_letter_tried_again(desk: Client) -> None:
    event = ProviderEvent.objects.create(
        provider="stripe",
        event_id="evt_1",
        kind="price.updated",
        payload={"data": {"object": {}}},
        outcome="waiting",
    )
    letter = Outbox.objects.create(kind="refund", attempts=10, last_error="gone")
    desk.post(do("replay", event.pk), WHY)
    event.refresh_from_db()
    assert event.outcome == "ignored"
    for _ in range(2):
        assert desk.post(do("retry", letter.pk), WHY).status_code == 302
    letter.refresh_from_db()
    assert letter.attempts == 0
    assert sorted(each.action for each in DeskAction.objects.all()) == ["replay", "retry"]


@pytest.mark.parametrize("name", [*LISTS])
def test_every_list_shows_its_rows_and_finds_them_again(
    desk: Client, bought: Purchase, clerk: User, name: str
) -> None:
    short(bought, clerk, reference="BANK-A", amount=100)
    track_dispute(**dispute_of(bought.entitlement.payment))
    ProviderEvent.objects.create(
        provider="stripe", event_id="evt_1", kind="k", payload={"id": "1"}, outcome="waiting"
    )
    Outbox.objects.create(kind="refund", attempts=10, last_error="gone", payload={"refund": "r"})
    Refund.objects.create(
        charge=bought.entitlement.payment, provider="stripe", amount_minor=1, requested_by="t"
    )
    known = {"events": "evt_1", "dead-letters": "gone", "log": str(bought.pk)}
    page = f"{HOME}{name}/"
    for words in (known.get(name, str(bought.pk)), known.get(name, "meridian LABS"), ""):
        answer = desk.get(
            page, {"q": words} if name == "purchases" else {"q": words, "waiting": "1"}
        )
        assert "<tbody>" in text_of(answer), words
        assert ("Only what waits" in text_of(answer)) is LISTS[name].narrows
        assert len(answer.context["rows"]) >= 1
    nothing = desk.get(page, {"q": "no such thing\0%_", "page": "x"})
    assert "Nothing matches" in text_of(nothing)


@pytest.mark.parametrize(
    "path", ["none/", "do/refund/new/", "do/refund/x/", "do/none/new/", "do/record-transfer/1/"]
)
def test_what_is_not_there_is_not_found(desk: Client, path: str) -> None:
    assert desk.get(HOME + path).status_code == 404
    assert desk.get(f"{HOME}do/refund/{uuid4()}/").status_code == 404
