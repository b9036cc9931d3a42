"""The desk: what was asked for on paper, and who did what at it."""

from __future__ import annotations

from collections.abc import Iterator

from entitlements.evidence.walking import Table
from entitlements.models import DeskAction, ProForma
from entitlements.models.desk import MIN_WHY


def desking() -> list[Table]:
    """Pro-forma invoices and the log of the desk, each in its order."""
    papers = ProForma.objects.select_related("purchase")
    return [
        Table(rows=papers.order_by("pk"), problems=_pro_forma),
        Table(rows=DeskAction.objects.order_by("pk"), problems=_action),
    ]


def _pro_forma(paper: ProForma) -> Iterator[str]:
    purchase = paper.purchase
    asked = purchase.price_minor + paper.months * purchase.maintenance_minor
    if (paper.amount_minor, paper.currency) != (asked, purchase.currency):
        yield "it asks for another amount than its purchase"


def _action(action: DeskAction) -> Iterator[str]:
    if len(action.why) < MIN_WHY:
        yield "it does not say why"
