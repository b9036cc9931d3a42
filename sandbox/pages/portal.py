"""What the portal shows."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sandbox.money import readable
from sandbox.objects.ending import current_end
from sandbox.pages import framed, problem_note
from sandbox.pages.asking import field
from sandbox.pages.invoices import day

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sandbox.shapes import Json

FEATURES = ("payment_method_update", "subscription_cancel", "invoice_history")


def page(
    session: Json,
    *,
    offers: Mapping[str, bool],
    cards: Sequence[str],
    subscriptions: Sequence[tuple[Json, Mapping[str, str]]],
    invoices: Sequence[Json],
    problem: str,
) -> str:
    """Return the portal with what its configuration offers."""
    parts = [problem_note(problem), "<h2>Subscriptions</h2>"]
    for (subscription, names), card in zip(subscriptions, cards, strict=True):
        cancelable = offers["subscription_cancel"]
        parts.append(_subscription(subscription, names, card, cancelable=cancelable))
    if not subscriptions:
        parts.append("<p>There is none.</p>")
    if offers["payment_method_update"]:
        parts.append(_CARD)
    if offers["invoice_history"]:
        rows = "".join(_invoice(invoice) for invoice in invoices)
        parts.append(f"<h2>Invoices</h2><table><tbody>{rows}</tbody></table>")
    if session["return_url"]:
        parts.append(f'<p><a href="{escape(session["return_url"])}">Back to the shop</a></p>')
    return framed("Billing", "\n".join(parts))


def _subscription(
    subscription: Json, names: Mapping[str, str], card: str, *, cancelable: bool
) -> str:
    items = subscription["items"]["data"]
    what = ", ".join(names[item["price"]["product"]] for item in items)
    end, ending = day(current_end(subscription)), subscription["cancel_at_period_end"]
    state = (
        f"ends on {end}"
        if ending
        else f"{subscription['status'].replace('_', ' ')}, renews on {end}"
    )
    text = f"<p>{escape(what)}: {escape(state)}. Paid by: {escape(card)}.</p>"
    if not cancelable:
        return text
    action, label = ("resume", "Keep it") if ending else ("cancel", "Cancel it")
    return (
        f'{text}<form method="post"><input type="hidden" name="subscription"'
        f' value="{escape(subscription["id"])}">'
        f'<button type="submit" name="action" value="{action}">{label}</button></form>'
    )


def _invoice(invoice: Json) -> str:
    amount = readable(invoice["total"], invoice["currency"])
    return (
        f'<tr><td><a href="{escape(invoice["hosted_invoice_url"])}">{escape(invoice["number"])}</a>'
        f"</td><td>{day(invoice['effective_at'])}, {escape(invoice['status'])}</td>"
        f"<td>{escape(amount)}</td></tr>"
    )


_CARD = (
    '<h2>Card</h2><form method="post">'
    + field("card", "Number of the new card", "4242 4242 4242 4242")
    + '<button type="submit" name="action" value="card">Use this card</button></form>'
)
