"""What Stripe says of refunds and disputes, told to our rows."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from entitlements.disputes import track_dispute
from entitlements.entering import PaymentMismatch
from entitlements.models import Dispute, Payment, Refund
from entitlements.news import Apply, News, OfNoConcern
from entitlements.refunds import track_refund
from entitlements.stripe.client import PROVIDER, client
from entitlements.stripe.paid_by import Find, charge_behind
from entitlements.stripe.reading import Object, amount, moment, part, text
from entitlements.stripe.refunding import refund_state

State = Dispute.State
DISPUTES = {
    "warning_needs_response": State.WARNING,
    "warning_under_review": State.WARNING,
    "warning_closed": State.WARNING,
    "prevented": State.WARNING,
    "needs_response": State.OPEN,
    "under_review": State.OPEN,
    "won": State.WON,
    "lost": State.LOST,
}


def refund_changed(news: News) -> Apply:
    """A refund was made, went through, or failed; by us or at Stripe's dashboard."""
    find = finder_of_refund(news.subject)
    return lambda: enter_refund(news.subject, charge=find(), recorded_by=news.recorded_by)


def charge_refunded(news: News) -> Apply:
    """A charge was refunded in part or whole: each of its refunds is asked for."""
    listed = client().v1.refunds.list(params={"charge": text(news.subject, "id"), "limit": 100})
    refunds = [each.to_dict() for each in listed.auto_paging_iter()]
    if not refunds:
        raise OfNoConcern("it has no refunds")
    find = charge_behind(refunds[0])

    def apply() -> None:
        charge = find()
        for refund in refunds:
            enter_refund(refund, charge=charge, recorded_by=news.recorded_by)

    return apply


def dispute_changed(news: News) -> Apply:
    """A dispute was opened, decided, or moved money."""
    find = charge_behind(news.subject)
    return lambda: enter_dispute(
        news.subject, charge=find(), as_of=news.said_at, recorded_by=news.recorded_by
    )


def finder_of_refund(refund: Object) -> Find:
    """How to find a refund's charge: through the wish that it fulfils, or by asking Stripe."""
    wish = wish_of(refund)
    if wish is None:
        return charge_behind(refund)
    charge = wish.charge
    return lambda: charge


def wish_of(refund: Object) -> Refund | None:
    """The refund that we asked for, when this is it."""
    try:
        number = UUID(str(part(refund, "metadata").get("refund")))
    except ValueError:
        return None
    wishes = Refund.objects.select_related("charge").filter(provider=PROVIDER)
    return wishes.filter(pk=number).first()


def enter_refund(refund: Object, *, charge: Payment, recorded_by: str) -> Refund:
    """Enter a refund as Stripe shows it. Raises RefundRefused and PaymentMismatch."""
    wish = wish_of(refund)
    return track_refund(
        charge=charge,
        provider=PROVIDER,
        reference=text(refund, "id"),
        amount_minor=amount(refund, "amount"),
        state=refund_state(text(refund, "status")),
        recorded_by=recorded_by,
        # One that failed may be asked for again: the wish has its reference, this one another.
        wish=wish if wish and wish.reference in ("", text(refund, "id")) else None,
        why=text(refund, "reason") if wish is None else "",
    )


def enter_dispute(
    dispute: Object, *, charge: Payment, as_of: datetime, recorded_by: str
) -> Dispute:
    """Enter a dispute as Stripe shows it. Raises PaymentMismatch for a state that is not known."""
    status = text(dispute, "status")
    if status not in DISPUTES:
        raise PaymentMismatch(f"status: {status!r} is no state of a dispute that is known here")
    return track_dispute(
        charge=charge,
        provider=PROVIDER,
        reference=text(dispute, "id"),
        amount_minor=amount(dispute, "amount"),
        state=DISPUTES[status],
        opened_at=moment(dispute, "created") or as_of,
        as_of=as_of,
        recorded_by=recorded_by,
        reason=text(dispute, "reason"),
    )
