"""Disputes at Stripe and ours: a "won" that was missed is found here."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from django.utils import timezone

from entitlements.difference import Difference
from entitlements.models import Dispute, Payment
from entitlements.news import OfNoConcern, TooEarly
from entitlements.stripe.client import PROVIDER, client
from entitlements.stripe.paid_by import charge_behind
from entitlements.stripe.reading import Object, text
from entitlements.stripe.reversals import DISPUTES, enter_dispute
from entitlements.stripe.sweep.invoices import BY
from entitlements.stripe.sweep.reading import BY_HAND, FROM_LISTS, PAGE, Window, found

UNDECIDED = (Dispute.State.OPEN, Dispute.State.WARNING)


def compare_disputes(window: Window) -> Iterator[Difference]:
    """Each dispute of the window, and each of ours that is undecided, however old."""
    disputes, seen = client().v1.disputes, set[str]()
    listed = disputes.list(params={"created": window.created, "limit": PAGE})
    for dispute in reversed(list(window.each("disputes", listed))):
        seen.add(text(dispute, "id"))
        yield from _at_stripe(dispute)
    ours = Dispute.objects.filter(provider=PROVIDER).exclude(reference__in=seen)
    for row in ours.filter(opened_at__gte=window.since) | ours.filter(state__in=UNDECIDED):
        dispute_there = found(disputes.retrieve, row.reference)
        if dispute_there is None:
            said = "entered here, and unknown to Stripe"
            yield Difference(subject=f"dispute {row.reference}", said=said, way_out=BY_HAND)
        else:
            yield from _at_stripe(dispute_there)


def _at_stripe(dispute: Object) -> Iterator[Difference]:
    reference, status = text(dispute, "id"), text(dispute, "status")
    known = (
        Dispute.objects.select_related("charge")
        .filter(provider=PROVIDER, reference=reference)
        .first()
    )
    if known is not None and known.state == DISPUTES.get(status):
        return
    try:
        charge = known.charge if known else charge_behind(dispute)()
    except OfNoConcern:
        return
    except TooEarly as early:
        yield Difference(subject=f"dispute {reference}", said=str(early), way_out=FROM_LISTS)
        return
    here = f"{known.state} here" if known else "not entered here"
    yield Difference(
        subject=f"dispute {reference}",
        said=f"{status} at Stripe, and {here}",
        way_out=FROM_LISTS if status in DISPUTES else BY_HAND,
        repair=partial(_enter, reference, charge),
    )


def _enter(reference: str, charge: Payment) -> None:
    # Read anew, so that this is the newest word: newer than any event's that is here.
    dispute = client().v1.disputes.retrieve(reference).to_dict()
    known = Dispute.objects.filter(provider=PROVIDER, reference=reference).first()
    as_of = max(timezone.now(), known.as_of) if known else timezone.now()
    enter_dispute(dispute, charge=charge, as_of=as_of, recorded_by=BY)
