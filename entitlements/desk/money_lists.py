"""The desk's lists of money: purchases, payments, held money, refunds, disputes."""

from __future__ import annotations

from django.db.models import Q
from django.urls import reverse

from entitlements.desk.cells import Cell, Link, amount, code, purchase_cells, when, words
from entitlements.desk.lists import DeskList, action_link, no_links
from entitlements.entering import BANK
from entitlements.models import Dispute, HeldPayment, Payment, Purchase, Refund


def _purchase(row: Purchase) -> list[Cell]:
    return [
        code(row.pk),
        words(row.entity),
        words(f"{row.package.slug} {row.version.version}"),
        words(row.get_state_display()),
        amount(row.price_minor, row.currency),
        amount(row.maintenance_minor, row.currency),
        code(row.purchase_order) if row.purchase_order else words("-"),
        when(row.created_at),
    ]


def _purchase_links(row: Purchase) -> list[Link]:
    record = f"{reverse('finance_action', args=['record-transfer', 'new'])}?purchase={row.pk}"
    links = [Link(title="Record transfer", href=record, right="record_transfer")]
    if row.state == Purchase.State.PAID:
        links.append(action_link("Close for a breach", "place-hold", row.pk, "place_hold"))
    return links


def _payment(row: Payment) -> list[Cell]:
    return [
        code(row.reference),
        words(f"{row.get_kind_display()}, {row.provider}"),
        amount(row.amount_minor, row.currency),
        *purchase_cells(row.purchase),
        when(row.received_at),
        words(row.recorded_by),
    ]


def _payment_links(row: Payment) -> list[Link]:
    if row.kind != Payment.Kind.CHARGE:
        return []
    return [action_link("Refund", "refund", row.pk, "refund")]


def _held(row: HeldPayment) -> list[Cell]:
    return [
        code(row.reference),
        amount(row.amount_minor, row.currency),
        *purchase_cells(row.purchase),
        words(row.reason),
        when(row.received_at),
        words(f"{row.get_resolution_display()} {row.resolved_by}".strip()),
    ]


def _held_links(row: HeldPayment) -> list[Link]:
    if row.resolution:
        return []
    links = [action_link("Sent back", "return-held", row.pk, "resolve_held")]
    if row.provider == BANK:
        of = f"&purchase={row.purchase_id}" if row.purchase_id else ""
        path = reverse("finance_action", args=["apply-held", "new"])
        links.insert(0, Link(title="Apply", href=f"{path}?held={row.pk}{of}", right="resolve_held"))
    return links


def _refund(row: Refund) -> list[Cell]:
    return [
        code(row.reference) if row.reference else words("-"),
        words(f"{row.get_state_display()}, {row.provider}"),
        amount(row.amount_minor, row.charge.currency),
        *purchase_cells(row.charge.purchase),
        words(row.why),
        words(row.requested_by),
        when(row.requested_at),
    ]


def _refund_links(row: Refund) -> list[Link]:
    if row.provider != BANK or row.state not in (Refund.State.WANTED, Refund.State.PENDING):
        return []
    return [action_link("Mark as sent", "refund-sent", row.pk, "refund")]


def _dispute(row: Dispute) -> list[Cell]:
    return [
        code(row.reference),
        words(row.get_state_display()),
        amount(row.amount_minor, row.charge.currency),
        *purchase_cells(row.charge.purchase),
        words(row.reason.replace("_", " ")),
        when(row.opened_at),
        when(row.closed_at),
    ]


PURCHASES = DeskList(
    name="purchases",
    title="Purchases",
    says="What was bought and what waits for its money. A transfer is recorded from here.",
    columns=("Purchase", "Entity", "Version", "State", "Price", "A month", "Order", "Opened"),
    rows=lambda: Purchase.objects.select_related("entity", "package", "version"),
    waiting=lambda rows: rows.filter(state=Purchase.State.PENDING),
    cells=_purchase,
    links=_purchase_links,
    fields=("payments__reference",),
    purchase="",
)
PAYMENTS = DeskList(
    name="payments",
    title="Payments",
    says="The ledger: every charge, refund and dispute, none of which changes.",
    columns=("Reference", "What", "Amount", "Entity", "Purchase", "Received", "Recorded by"),
    rows=lambda: Payment.objects.select_related("purchase__entity").order_by("-received_at", "pk"),
    waiting=None,
    cells=_payment,
    links=_payment_links,
    fields=("reference",),
    purchase="purchase__",
)
HELD = DeskList(
    name="held",
    title="Held payments",
    says="Money that came and opened no door. Apply it when together it is exact, or send it back.",
    columns=("Reference", "Amount", "Entity", "Purchase", "Why", "Received", "Now"),
    rows=lambda: HeldPayment.objects.select_related("purchase__entity"),
    waiting=lambda rows: rows.filter(resolution=""),
    cells=_held,
    links=_held_links,
    fields=("reference", "reason"),
    purchase="purchase__",
)
REFUNDS = DeskList(
    name="refunds",
    title="Refunds",
    says="What goes back. The provider is asked by itself; what a bank brought, you send by hand.",
    columns=("Reference", "State", "Amount", "Entity", "Purchase", "Why", "Asked by", "Asked"),
    rows=lambda: Refund.objects.select_related("charge__purchase__entity"),
    waiting=lambda rows: rows.filter(Q(state="wanted") | Q(state="pending")),
    cells=_refund,
    links=_refund_links,
    fields=("reference", "charge__reference"),
    purchase="charge__purchase__",
)
DISPUTES = DeskList(
    name="disputes",
    title="Disputes",
    says="What banks ask back. They are answered at the provider; access follows what it decides.",
    columns=("Reference", "State", "Amount", "Entity", "Purchase", "Reason", "Opened", "Closed"),
    rows=lambda: Dispute.objects.select_related("charge__purchase__entity"),
    waiting=lambda rows: rows.filter(state__in=[Dispute.State.OPEN, Dispute.State.WARNING]),
    cells=_dispute,
    links=no_links,
    fields=("reference", "charge__reference"),
    purchase="charge__purchase__",
)
