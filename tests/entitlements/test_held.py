"""Held money: together it may open, or it goes back; it is resolved once, whoever comes second."""

from __future__ import annotations

import pytest

from entitlements.evidence.checking import check_evidence
from entitlements.held import apply_held, return_held
from entitlements.models import DeskAction, HeldPayment, Payment, Purchase
from entitlements.transfers import TransferRefused, asked_of, record_transfer
from licensing.models import User
from tests.threads import at_once
from tests.transfers import nothing_opened, short, transfer_of


@pytest.fixture
def halves(pending: Purchase, clerk: User) -> list[HeldPayment]:
    """Two transfers that together are what a purchase asks for."""
    first = 100_000
    rest = asked_of(pending) - first
    return [
        short(pending, clerk, reference="BANK-A", amount=first),
        short(pending, clerk, reference="BANK-B", amount=rest),
    ]


def applied(held: list[HeldPayment], to: Purchase, by: User) -> Payment:
    return apply_held(
        held=[row.pk for row in held], purchase=to, recorded_by="desk", actor=by, why="both came"
    )


def sent_back(held: HeldPayment, by: User) -> HeldPayment:
    return return_held(
        held=held, reference="OUT-1", recorded_by="desk", actor=by, why="asked for it back"
    )


def test_two_short_ones_open_together_as_one_charge(
    pending: Purchase, clerk: User, halves: list[HeldPayment]
) -> None:
    assert nothing_opened(pending)
    charge = applied(halves, pending, clerk)
    pending.refresh_from_db()
    assert pending.entitlement.payment == charge
    assert charge.reference == "BANK-A + BANK-B"
    assert set(HeldPayment.objects.values_list("resolution", flat=True)) == {"applied"}
    assert DeskAction.objects.filter(action="apply_held").get().details["held"]
    assert check_evidence(say=print)["entitlements_payment"] == 1


def test_applied_again_the_charge_comes_back(
    pending: Purchase, clerk: User, halves: list[HeldPayment]
) -> None:
    first = applied(halves, pending, clerk)
    assert applied(halves, pending, clerk) == first
    assert DeskAction.objects.filter(action="apply_held").count() == 1


def test_one_alone_is_still_short(
    pending: Purchase, clerk: User, halves: list[HeldPayment]
) -> None:
    with pytest.raises(TransferRefused, match="too little"):
        applied(halves[:1], pending, clerk)
    assert nothing_opened(pending)
    assert HeldPayment.objects.filter(resolution="").count() == 2


def test_an_applied_transfer_recorded_again_changes_nothing(
    pending: Purchase, clerk: User, halves: list[HeldPayment]
) -> None:
    applied(halves, pending, clerk)
    again = short(pending, clerk, reference="BANK-A", amount=100_000)
    assert again.pk == halves[0].pk
    assert Payment.objects.count() == 1


def test_money_that_named_no_purchase_finds_its_own(pending: Purchase, clerk: User) -> None:
    exact = transfer_of(pending, clerk, purchase=None, amount_minor=asked_of(pending))
    row = record_transfer(**exact)
    assert isinstance(row, HeldPayment)
    assert applied([row], pending, clerk).purchase_id == pending.pk
    row.refresh_from_db()
    assert row.purchase_id == pending.pk


def test_what_was_sent_back_opens_nothing(
    pending: Purchase, clerk: User, halves: list[HeldPayment]
) -> None:
    for _ in range(2):
        assert sent_back(halves[0], clerk).resolution == "returned"
    assert DeskAction.objects.filter(action="return_held").count() == 1
    with pytest.raises(TransferRefused, match="applied or sent back already"):
        applied(halves, pending, clerk)
    assert nothing_opened(pending)


def test_what_was_applied_is_not_sent_back(
    pending: Purchase, clerk: User, halves: list[HeldPayment]
) -> None:
    applied(halves, pending, clerk)
    with pytest.raises(TransferRefused, match="refund the charge"):
        sent_back(halves[0], clerk)


def test_a_cards_money_is_not_applied_here(pending: Purchase, clerk: User) -> None:
    row = HeldPayment.objects.create(
        provider="stripe", reference="in_1", amount_minor=1, currency="USD", reason="too little"
    )
    with pytest.raises(TransferRefused, match="Only bank transfers"):
        applied([row], pending, clerk)
    assert nothing_opened(pending)


def test_two_currencies_make_no_sum(pending: Purchase, clerk: User) -> None:
    rows = [
        record_transfer(
            **transfer_of(pending, clerk, reference=name, currency=name, amount_minor=5)
        )
        for name in ("EUR", "GBP")
    ]
    with pytest.raises(TransferRefused, match="different currencies"):
        applied([row for row in rows if isinstance(row, HeldPayment)], pending, clerk)


@pytest.mark.django_db(transaction=True)
def test_applied_and_sent_back_at_once_it_is_one_of_both(
    pending: Purchase, clerk: User, halves: list[HeldPayment]
) -> None:
    raised = at_once(
        lambda: applied(halves, pending, clerk),
        lambda: sent_back(halves[0], clerk),
        lambda: applied(halves, pending, clerk),
    )
    went_back = HeldPayment.objects.get(pk=halves[0].pk).resolution == "returned"
    assert Payment.objects.count() == (0 if went_back else 1)
    assert len(raised) == (2 if went_back else 1)
    assert all(isinstance(error, TransferRefused) for error in raised)
    assert nothing_opened(pending) is went_back
