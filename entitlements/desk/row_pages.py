"""The pages of actions on rows: refunds, holds, events and dead letters."""

from __future__ import annotations

from typing import Any

from entitlements.desk import actions
from entitlements.desk.cells import amount, code, words
from entitlements.desk.forms import RefundForm, SentForm, WhyForm
from entitlements.desk.log import DeskRefused
from entitlements.desk.money_lists import PAYMENTS, PURCHASES, REFUNDS
from entitlements.desk.pages import ActionPage, Fact, finder
from entitlements.desk.reasons import why_not_releasable
from entitlements.desk.work_lists import DEAD, EVENTS, HOLDS
from entitlements.entering import BANK, kept_minor
from entitlements.models import Entitlement, Hold, Outbox, Payment, ProviderEvent, Purchase, Refund
from licensing.models import User


def _of_purchase(purchase: Purchase) -> list[Fact]:
    return [("Entity", words(purchase.entity)), ("Purchase", code(purchase.pk))]


def _charge_facts(row: Payment) -> list[Fact]:
    return [
        ("Charge", code(row.reference)),
        ("Amount", amount(row.amount_minor, row.currency)),
        ("Still with us", amount(kept_minor(row), row.currency)),
        *_of_purchase(row.purchase),
    ]


def _foresee_refund(row: Payment, data: dict[str, Any]) -> list[str]:
    if row.kind != Payment.Kind.CHARGE:
        raise DeskRefused("Only a charge is refunded.")
    left = kept_minor(row)
    back = data["amount"] or left
    if left <= 0:
        raise DeskRefused("Nothing is left of this charge: it went back already.")
    if not 0 < back <= left:
        raise DeskRefused(f"amount: {amount(left, row.currency).text} are left of this charge.")
    said = [f"{amount(back, row.currency).text} will go back to {row.purchase.entity}."]
    if row.provider == BANK:
        said.append("You make that transfer at the bank; then mark the refund as sent.")
    else:
        said.append(f"The worker asks {row.provider} for it by itself.")
    first = Entitlement.objects.filter(payment=row).exists()
    if first and back == left:
        said.append("Access ends on every surface, links too, once the money has gone.")
    else:
        said.append("Access to what was bought stays.")
    return said


def _refund(row: Payment, data: dict[str, Any], actor: User) -> str:
    wish = actions.refund_charge(
        charge=row, amount_minor=data["amount"], once=data["once"], actor=actor, why=data["why"]
    )
    return f"A refund of {amount(wish.amount_minor, row.currency).text} is on its way."


def _refund_facts(row: Refund) -> list[Fact]:
    return [
        ("Amount", amount(row.amount_minor, row.charge.currency)),
        ("Of charge", code(row.charge.reference)),
        ("Why", words(row.why)),
        *_of_purchase(row.charge.purchase),
    ]


def _sent(row: Refund, data: dict[str, Any], actor: User) -> str:
    actions.mark_refund_sent(wish=row, reference=data["reference"], actor=actor, why=data["why"])
    return f"The refund {data['reference']} is in the ledger."


def _hold_facts(row: Hold) -> list[Fact]:
    return [
        ("Reason", words(row.get_reason_display())),
        ("Note", words(row.note or "-")),
        *_of_purchase(row.entitlement.purchase),
    ]


def _foresee_release(row: Hold, _: dict[str, Any]) -> list[str]:
    problem = why_not_releasable(row)
    if problem:
        raise DeskRefused(problem)
    others = Hold.objects.filter(entitlement=row.entitlement_id, released_at__isnull=True)
    if others.exclude(pk=row.pk).exists():
        return ["This hold ends. Another one is open, so access stays closed."]
    return [f"Access opens again to every member of {row.entitlement.purchase.entity}."]


def _release(row: Hold, data: dict[str, Any], actor: User) -> str:
    actions.release_hold(hold=row, actor=actor, why=data["why"])
    return "The hold is released."


def _foresee_breach(row: Purchase, _: dict[str, Any]) -> list[str]:
    if row.state != Purchase.State.PAID:
        raise DeskRefused("It is not paid: there is no access to close.")
    return [
        (
            f"Access ends at once for every member of {row.entity}: page, API, and links already "
            "issued. The members read that the licence was breached."
        ),
        "No money moves. The hold stays until somebody releases it.",
    ]


def _breach(row: Purchase, data: dict[str, Any], actor: User) -> str:
    actions.close_for_breach(entitlement=row.entitlement, actor=actor, why=data["why"])
    return f"Access of {row.entity} is closed."


def _replay(row: ProviderEvent, data: dict[str, Any], actor: User) -> str:
    told = actions.replay_event(event=row, actor=actor, why=data["why"])
    return f"{row.event_id}: {told.get_outcome_display()}. {told.note}".strip()


def _retry(row: Outbox, data: dict[str, Any], actor: User) -> str:
    actions.retry_dead_letter(letter=row, actor=actor, why=data["why"])
    return "The worker tries it again."


REFUND = ActionPage(
    name="refund",
    title="Refund a charge",
    button="Refund",
    right="refund",
    form=RefundForm,
    back=PAYMENTS.name,
    find=finder(PAYMENTS.rows),
    facts=_charge_facts,
    foresee=_foresee_refund,
    act=_refund,
)
SENT = ActionPage(
    name="refund-sent",
    title="A refund was sent by bank",
    button="Mark as sent",
    right="refund",
    form=SentForm,
    back=REFUNDS.name,
    find=finder(REFUNDS.rows),
    facts=_refund_facts,
    foresee=lambda _row, _data: [
        "Make the transfer at the bank first: this page sends no money.",
        (
            "The refund is entered in the ledger, for good. If it leaves nothing of the payment "
            "that brought the kit, access ends at once."
        ),
    ],
    act=_sent,
)
RELEASE = ActionPage(
    name="release-hold",
    title="Release a hold",
    button="Release the hold",
    right="release_hold",
    form=WhyForm,
    back=HOLDS.name,
    find=finder(HOLDS.rows),
    facts=_hold_facts,
    foresee=_foresee_release,
    act=_release,
)
BREACH = ActionPage(
    name="place-hold",
    title="Close access for a breach",
    button="Close access",
    right="place_hold",
    form=WhyForm,
    back=HOLDS.name,
    find=finder(PURCHASES.rows),
    facts=_of_purchase,
    foresee=_foresee_breach,
    act=_breach,
)
REPLAY = ActionPage(
    name="replay",
    title="Replay an event",
    button="Replay",
    right="replay",
    form=WhyForm,
    back=EVENTS.name,
    find=finder(ProviderEvent.objects.all),
    facts=lambda row: [
        ("Event", code(row.event_id)),
        ("Kind", words(row.kind)),
        ("Outcome", words(f"{row.get_outcome_display()}. {row.note}")),
    ],
    foresee=lambda _row, _data: [
        "It is applied again as it was received. What it brought before comes no second time."
    ],
    act=_replay,
)
RETRY = ActionPage(
    name="retry",
    title="Try a dead letter again",
    button="Try again",
    right="replay",
    form=WhyForm,
    back=DEAD.name,
    find=finder(Outbox.objects.all),
    facts=lambda row: [
        ("Kind", words(row.kind)),
        ("Last error", words(row.last_error)),
    ],
    foresee=lambda _row, _data: ["The worker takes it within seconds, up to ten times more."],
    act=_retry,
)
