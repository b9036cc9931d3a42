"""Refunds at Stripe and ours, and those that are owed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial

from django.utils import timezone

from entitlements.difference import Difference
from entitlements.models import Payment, Refund
from entitlements.news import OfNoConcern, TooEarly
from entitlements.stripe.client import PROVIDER, client
from entitlements.stripe.reading import Object, text
from entitlements.stripe.refunding import refund_state
from entitlements.stripe.reversals import enter_refund, finder_of_refund
from entitlements.stripe.sweep.invoices import BY
from entitlements.stripe.sweep.reading import BY_HAND, FROM_LISTS, PAGE, Window, found

State = Refund.State
LATE = timedelta(hours=1)


def compare_refunds(window: Window) -> Iterator[Difference]:
    """What went back and is not entered so, what is entered and did not, and what is owed."""
    refunds, seen = client().v1.refunds, set[str]()
    listed = refunds.list(params={"created": window.created, "limit": PAGE})
    for refund in reversed(list(window.each("refunds", listed))):
        seen.add(text(refund, "id"))
        yield from _at_stripe(refund)
    ours = Refund.objects.filter(provider=PROVIDER).exclude(reference__in=seen)
    recent = ours.filter(requested_at__gte=window.since) | ours.filter(state=State.PENDING)
    for row in recent.exclude(reference="").order_by("requested_at"):
        refund_there = found(refunds.retrieve, row.reference)
        if refund_there is None:
            said = "entered here, and unknown to Stripe"
            yield Difference(subject=f"refund {row.reference}", said=said, way_out=BY_HAND)
        else:
            yield from _at_stripe(refund_there)
    yield from _owed()


def _at_stripe(refund: Object) -> Iterator[Difference]:
    reference, state = text(refund, "id"), refund_state(text(refund, "status"))
    known = Refund.objects.filter(provider=PROVIDER, reference=reference).first()
    if known is not None and (known.state, known.amount_minor) == (state, refund.get("amount")):
        return
    try:
        charge = known.charge if known else finder_of_refund(refund)()
    except OfNoConcern:
        return
    except TooEarly as early:
        yield Difference(subject=f"refund {reference}", said=str(early), way_out=FROM_LISTS)
        return
    here = f"{known.state}, {known.amount_minor} here" if known else "not entered here"
    yield Difference(
        subject=f"refund {reference}",
        said=f"{state}, {refund.get('amount')} {refund.get('currency')} at Stripe, and {here}",
        way_out=FROM_LISTS if known is None or known.amount_minor == refund["amount"] else BY_HAND,
        repair=partial(_enter, reference, charge),
    )


def _enter(reference: str, charge: Payment) -> None:
    # Read anew: an event may have told more in the meantime.
    refund = client().v1.refunds.retrieve(reference).to_dict()
    enter_refund(refund, charge=charge, recorded_by=BY)


def _owed() -> Iterator[Difference]:
    wanted = Refund.objects.filter(provider=PROVIDER, state=State.WANTED)
    for row in wanted.filter(requested_at__lt=timezone.now() - LATE):
        yield Difference(
            subject=f"refund {row.pk}",
            said=f"asked for on {row.requested_at:%Y-%m-%d} and not yet at Stripe",
            way_out="Is a worker running? Its row of the outbox says what went wrong.",
        )
    for row in Refund.objects.filter(
        provider=PROVIDER, state__in=(State.FAILED, State.CANCELED), charge__entitlement=None
    ).select_related("charge"):
        if not _went_back(row.charge):
            yield Difference(
                subject=f"refund {row.reference or row.pk}",
                said=f"{row.state}, and the payment {row.charge.reference} bought nothing",
                way_out="Finance sends it back another way: /staff/.",
            )


def _went_back(charge: Payment) -> bool:
    again = charge.refunds.filter(state__in=(State.WANTED, State.PENDING, State.SUCCEEDED))
    return again.exists() or hasattr(charge, "maintenanceperiod")
