"""Rules of the machine: purchases are opened, and newer terms bound to them."""

from __future__ import annotations

from typing import Any

from hypothesis.stateful import precondition, rule

from entitlements.agreeing import AgreementRefused, bind_newer_terms
from entitlements.purchasing import PurchaseRefused, open_purchase
from tests.entitlements.machine.acting import PLACES, Acting, attempt
from tests.entitlements.machine.model import Offer, Sale, Signed, is_agreed, pick

MONTH = 20_000


class Buying(Acting):
    """Purchases and newer terms."""

    @precondition(lambda self: self.store.signed)
    @rule(number=PLACES)
    def open_purchase(self, number: int) -> None:
        store, signed = self.store, pick(self.store.signed, number)
        offer, known = store.on_sale(), signed.use if signed.is_bought_with else None
        may = (
            offer is not None
            and offer.kid not in store.revoked
            and (known is not None or self._may_still_buy(signed, offer))
        )
        row = attempt(
            lambda: open_purchase(signature=signed.row, buyer=store.people["ada"]),
            may=may,
            refused=PurchaseRefused,
        )
        if row is None or offer is None:
            return
        if known is not None:
            assert row == known.row
            return
        assert row.total_minor == offer.price_minor + MONTH
        signed.use = Sale(row=row, house=signed.house, offer=offer, texts={signed.text})
        store.sales.append(signed.use)

    def _may_still_buy(self, signed: Signed, offer: Offer) -> bool:
        in_time = signed.use is None and not self.store.late
        return in_time and is_agreed({signed.text}, offer)

    @precondition(lambda self: self.store.signed and self.store.paid_sales())
    @rule(number=PLACES, place=PLACES)
    def bind_newer_terms(self, number: int, place: int) -> None:
        sale, signed = pick(self.store.paid_sales(), number), pick(self.store.signed, place)
        unused = signed.use in {None, sale} and not signed.is_bought_with
        may = unused and signed.house == sale.house
        bound = attempt(
            lambda: bind_newer_terms(entitlement=_entitlement(sale), signature=signed.row),
            may=may,
            refused=AgreementRefused,
        )
        if bound is not None:
            signed.use = sale
            sale.texts.add(signed.text)


def _entitlement(sale: Sale) -> Any:
    return type(sale.row).objects.get(pk=sale.row.pk).entitlement
