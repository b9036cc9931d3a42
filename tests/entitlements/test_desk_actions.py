"""What finance does at the desk: once, with a reason, beside a row of the log, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.apps import apps
from django.contrib.auth.models import Group
from django.db import IntegrityError, ProgrammingError, transaction

from entitlements.desk import actions
from entitlements.desk.log import DeskRefused, log_action
from entitlements.desk.rights import ACTIONS, make_finance_group
from entitlements.disputes import track_dispute
from entitlements.doors import closed_because
from entitlements.models import DeskAction, Hold, Outbox, Payment, Purchase, Refund
from entitlements.transfers import record_transfer
from licensing.models import User
from tests.money import dispute_of
from tests.threads import at_once
from tests.transfers import transfer_of

WHY = "as they asked"


@pytest.fixture
def by_bank(pending: Purchase, clerk: User) -> Purchase:
    """A purchase that a transfer paid."""
    record_transfer(**transfer_of(pending, clerk))
    pending.refresh_from_db()
    return pending


def is_open(purchase: Purchase) -> bool:
    return not closed_because(entitlement=purchase.entitlement, version=purchase.version)


def test_a_refund_pressed_twice_is_one(by_bank: Purchase, clerk: User) -> None:
    once = uuid4()
    for _ in range(2):
        actions.refund_charge(
            charge=by_bank.entitlement.payment, amount_minor=500, once=once, actor=clerk, why=WHY
        )
    assert Refund.objects.get().pk == once
    assert DeskAction.objects.filter(action="refund").count() == 1
    assert is_open(by_bank)


def test_more_than_there_is_goes_not_back(by_bank: Purchase, clerk: User) -> None:
    charge = by_bank.entitlement.payment
    with pytest.raises(DeskRefused, match="are left"):
        actions.refund_charge(
            charge=charge, amount_minor=charge.amount_minor + 1, once=uuid4(), actor=clerk, why=WHY
        )
    assert not Refund.objects.exists()
    assert not DeskAction.objects.filter(action="refund").exists()


def test_a_bank_refund_closes_when_it_was_sent(by_bank: Purchase, clerk: User) -> None:
    wish = actions.refund_charge(
        charge=by_bank.entitlement.payment, amount_minor=None, once=uuid4(), actor=clerk, why=WHY
    )
    assert is_open(by_bank)
    for _ in range(2):
        row = actions.mark_refund_sent(wish=wish, reference="OUT-9", actor=clerk, why=WHY)
    assert (row.kind, row.amount_minor) == ("refund", -by_bank.entitlement.payment.amount_minor)
    assert not is_open(by_bank)
    assert DeskAction.objects.filter(action="refund_sent").count() == 1


def test_a_cards_refund_is_not_marked_by_hand(bought: Purchase, clerk: User) -> None:
    wish = actions.refund_charge(
        charge=bought.entitlement.payment, amount_minor=5, once=uuid4(), actor=clerk, why=WHY
    )
    with pytest.raises(DeskRefused, match="provider itself"):
        actions.mark_refund_sent(wish=wish, reference="OUT-1", actor=clerk, why=WHY)


def test_a_breach_closes_and_its_release_opens(bought: Purchase, clerk: User) -> None:
    for _ in range(2):
        hold = actions.close_for_breach(entitlement=bought.entitlement, actor=clerk, why=WHY)
    assert not is_open(bought)
    for _ in range(2):
        actions.release_hold(hold=hold, actor=clerk, why=WHY)
    assert is_open(bought)
    assert [each.action for each in DeskAction.objects.all()] == ["release_hold", "place_hold"]


def test_a_hold_stays_while_the_money_is_gone(bought: Purchase, clerk: User) -> None:
    track_dispute(**dispute_of(bought.entitlement.payment))
    hold = Hold.objects.get()
    with pytest.raises(DeskRefused, match=r"dispute dp_\w+ is open\. Answer it"):
        actions.release_hold(hold=hold, actor=clerk, why=WHY)
    hold.refresh_from_db()
    assert hold.released_at is None
    assert not DeskAction.objects.exists()


def test_a_refunded_purchase_stays_closed(by_bank: Purchase, clerk: User) -> None:
    wish = actions.refund_charge(
        charge=by_bank.entitlement.payment, amount_minor=None, once=uuid4(), actor=clerk, why=WHY
    )
    actions.mark_refund_sent(wish=wish, reference="OUT-9", actor=clerk, why=WHY)
    with pytest.raises(DeskRefused, match="refunded in full"):
        actions.release_hold(hold=Hold.objects.get(), actor=clerk, why=WHY)
    assert not is_open(by_bank)


def test_a_dead_letter_is_due_again(clerk: User, db: None) -> None:
    letter = Outbox.objects.create(kind="refund", attempts=Outbox.MAX_ATTEMPTS, last_error="gone")
    for _ in range(2):
        letter = actions.retry_dead_letter(letter=letter, actor=clerk, why=WHY)
    assert (letter.attempts, letter.last_error) == (0, "gone")
    assert DeskAction.objects.get().details["attempts"] == Outbox.MAX_ATTEMPTS


def test_nothing_is_done_without_a_reason(bought: Purchase, clerk: User) -> None:
    with pytest.raises(DeskRefused, match="at least 5"):
        actions.close_for_breach(entitlement=bought.entitlement, actor=clerk, why=" no ")
    assert is_open(bought)


def test_the_log_is_append_only(clerk: User, db: None) -> None:
    log_action(actor=clerk, action="x", subject="y", why=WHY, details={})
    for change in (
        lambda: DeskAction.objects.update(why="another reason"),
        lambda: DeskAction.objects.all().delete(),
    ):
        with pytest.raises((ProgrammingError, IntegrityError)), transaction.atomic():
            change()


@pytest.mark.django_db(transaction=True)
def test_pressed_by_several_at_once_each_is_done_once(by_bank: Purchase, clerk: User) -> None:
    once, charge = uuid4(), by_bank.entitlement.payment
    refund: Callable[[], object] = lambda: actions.refund_charge(  # noqa: E731 -- an action to be done twice, beside its arguments
        charge=charge, amount_minor=None, once=once, actor=clerk, why=WHY
    )
    close: Callable[[], object] = lambda: actions.close_for_breach(  # noqa: E731 -- an action to be done twice, beside its arguments
        entitlement=by_bank.entitlement, actor=clerk, why=WHY
    )
    assert at_once(refund, close, refund, close) == []
    wish = Refund.objects.get()
    sent: Callable[[], object] = lambda: actions.mark_refund_sent(  # noqa: E731 -- an action to be done twice, beside its arguments
        wish=Refund.objects.get(), reference="OUT-9", actor=clerk, why=WHY
    )
    assert at_once(sent, sent) == []
    assert Payment.objects.filter(kind="refund", charge=charge).count() == 1
    logged = sorted(DeskAction.objects.values_list("action", flat=True))
    assert logged == ["place_hold", "record_transfer", "refund", "refund_sent"]
    assert wish.pk == once


def test_migrate_makes_the_finance_group_once_and_leaves_it_to_its_people(db: None) -> None:
    group = Group.objects.get(name="finance")
    given = set(group.permissions.values_list("codename", flat=True))
    assert given >= {*ACTIONS, "view_payment", "view_deskaction"}
    assert not {name for name in given if name.startswith(("add_", "change_", "delete_"))}
    group.permissions.clear()
    make_finance_group(apps.get_app_config("entitlements"), using="default")
    assert not group.permissions.exists()
