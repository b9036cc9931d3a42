"""Paying an open session: everything it creates, in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.objects import buyers, invoices
from sandbox.objects.billing import add_subscription
from sandbox.objects.collecting import collect
from sandbox.objects.completing import complete
from sandbox.objects.ending import current_end
from sandbox.objects.instruments import Instrument, add_payment_method, behave
from sandbox.objects.invoice_lines import bought

if TYPE_CHECKING:
    from sandbox.objects.buyers import Buyer
    from sandbox.shapes import Json
    from sandbox.work import Work


def pay_session(work: Work, *, session: Json, instrument: Instrument, buyer: Buyer) -> Json:
    """Complete an open session with a card that pays now or a bank account, and return it.

    The caller has seen, in this same transaction, that the session is open: so it is paid once.
    """
    items = work.children("item", session["id"])
    extra = work.children("subscription_data", session["id"])[0]
    customer = buyers.enter(work, session, buyer, update=extra["customer_update"])
    payment_method = add_payment_method(work, customer, instrument)
    subscription = add_subscription(
        work, customer=customer, items=items, extra=extra, payment_method=payment_method
    )
    invoice = _first_invoice(work, work.add(subscription), items)
    status = collect(work, invoice)
    behave(work, payment_method["id"], instrument.later)
    return complete(
        work, session, subscription=subscription, buyer=buyer, paid=status == "succeeded"
    )


def _first_invoice(work: Work, subscription: Json, items: list[Json]) -> Json:
    """Store the first invoice, with one-time and recurring lines together, and open it."""
    invoice = invoices.draft(
        work,
        subscription=subscription,
        reason="subscription_create",
        period=(work.now, work.now),
        lines=bought(work, items),
    )
    subscription["latest_invoice"] = invoice["id"]
    work.plan("subscription.period_end", subscription, at=current_end(subscription))
    work.emit("customer.subscription.created", work.save(subscription))
    invoices.finalize(work, invoice)
    return invoice
