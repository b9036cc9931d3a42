"""The pages of bank transfers: record one, apply what is held, say that it was sent back."""

from __future__ import annotations

from typing import Any

from dateutil.relativedelta import relativedelta
from django.utils import timezone

from entitlements.desk.actions import told_by
from entitlements.desk.cells import amount, code, words
from entitlements.desk.forms import ApplyForm, SentForm, TransferForm
from entitlements.desk.log import DeskRefused
from entitlements.desk.money_lists import HELD, PURCHASES
from entitlements.desk.pages import ActionPage, Fact, finder
from entitlements.held import apply_held, return_held, why_not_applicable
from entitlements.models import Entitlement, HeldPayment, Payment, Purchase
from entitlements.transfers import find_transfer, record_transfer, why_held
from licensing.models import User

MONTHS = 12


def opening(purchase: Purchase) -> list[str]:
    """What exact money does to a purchase."""
    release = f"{purchase.package.slug} {purchase.version.version}"
    if purchase.state == Purchase.State.PENDING:
        return [
            (
                f"It is exactly what the purchase asks for: {release} opens to every member of "
                f"{purchase.entity}, with maintenance for {MONTHS} months."
            ),
            ("The buyer receipt is signed and the buyer gets a mail. Only a refund undoes it."),
        ]
    granted = Entitlement.objects.get(purchase=purchase)
    last = granted.maintenance_periods.order_by("ends_at").last()
    begins = max(timezone.now(), last.ends_at) if last else timezone.now()
    return [
        (
            f"It is exactly a year's maintenance of {release} for {purchase.entity}: paid until "
            f"about {begins + relativedelta(months=MONTHS):%Y-%m-%d}."
        ),
        "The buyer gets a mail.",
    ]


def _foresee_transfer(_: None, data: dict[str, Any]) -> list[str]:
    if find_transfer(data["reference"].strip()) is not None:
        return [f"Reference {data['reference']} is recorded already: nothing will change."]
    purchase: Purchase | None = data["purchase"]
    reason = why_held(
        purchase=purchase, amount_minor=data["amount"], currency=data["currency"].upper()
    )
    if purchase is None or reason:
        return [f"It will be held and open nothing. {reason}"]
    return opening(purchase)


def _record(_: None, data: dict[str, Any], actor: User) -> str:
    row = record_transfer(
        purchase=data["purchase"],
        amount_minor=data["amount"],
        currency=data["currency"],
        received_on=data["received_on"],
        reference=data["reference"],
        recorded_by=told_by(actor),
        actor=actor,
        why=data["why"],
    )
    if isinstance(row, Payment):
        return f"Transfer {row.reference} is entered: purchase {row.purchase_id} is paid."
    return f"Transfer {row.reference} is held. {row.reason}"


def _foresee_applied(_: None, data: dict[str, Any]) -> list[str]:
    held = list(data["held"])
    problem = why_not_applicable(held=held, purchase=data["purchase"])
    if problem:
        raise DeskRefused(problem)
    sum_ = amount(sum(row.amount_minor for row in held), held[0].currency).text
    return [f"{len(held)} held transfers become one charge of {sum_}.", *opening(data["purchase"])]


def _apply(_: None, data: dict[str, Any], actor: User) -> str:
    charge = apply_held(
        held=[row.pk for row in data["held"]],
        purchase=data["purchase"],
        recorded_by=told_by(actor),
        actor=actor,
        why=data["why"],
    )
    return f"{charge.reference} is entered: purchase {charge.purchase_id} is paid."


def _held_facts(row: HeldPayment) -> list[Fact]:
    return [
        ("Reference", code(row.reference)),
        ("Amount", amount(row.amount_minor, row.currency)),
        ("Entity", words(row.purchase.entity if row.purchase else "not known")),
        ("Why it is held", words(row.reason)),
    ]


def _return(row: HeldPayment, data: dict[str, Any], actor: User) -> str:
    return_held(
        held=row,
        reference=data["reference"],
        recorded_by=told_by(actor),
        actor=actor,
        why=data["why"],
    )
    return f"{row.reference} is marked as sent back."


RECORD = ActionPage(
    name="record-transfer",
    title="Record a bank transfer",
    button="Record the transfer",
    right="record_transfer",
    form=TransferForm,
    back=PURCHASES.name,
    find=None,
    facts=lambda _: [],
    foresee=_foresee_transfer,
    act=_record,
)
APPLY = ActionPage(
    name="apply-held",
    title="Apply held transfers",
    button="Apply them",
    right="resolve_held",
    form=ApplyForm,
    back=HELD.name,
    find=None,
    facts=lambda _: [],
    foresee=_foresee_applied,
    act=_apply,
)
RETURN = ActionPage(
    name="return-held",
    title="Held money was sent back",
    button="Mark as sent back",
    right="resolve_held",
    form=SentForm,
    back=HELD.name,
    find=finder(HELD.rows),
    facts=_held_facts,
    foresee=lambda _row, _data: [
        (
            "Make the transfer at the bank (or the refund at the card provider) first: this page "
            "sends no money."
        ),
        "Then it is marked as sent back, for good, and can no longer be applied.",
    ],
    act=_return,
)
