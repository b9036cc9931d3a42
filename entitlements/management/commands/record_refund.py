from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from entitlements.entering import kept_minor
from entitlements.models import Payment, Purchase
from entitlements.refunds import RefundRefused, record_refund

LONGEST_REASON = 160  # with the command's name it must fit the ledger's row


class Command(BaseCommand):
    help = "Record a refund that has succeeded. A full one ends access at once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("purchase", type=UUID)
        parser.add_argument("--charge", type=UUID, help="the payment; the first when left out")
        parser.add_argument("--amount", type=int, help="minor units; everything when left out")
        parser.add_argument("--reference", required=True, help="the provider's refund id")
        parser.add_argument("--provider", default="stripe")
        parser.add_argument("--reason", required=True, help="why, for the ledger's readers")

    def handle(self, *args: Any, purchase: UUID, **options: Any) -> None:
        found = Purchase.objects.filter(pk=purchase, state=Purchase.State.PAID).first()
        if found is None:
            raise CommandError(
                f"purchase: no paid purchase has the id {purchase}; "
                "/staff/entitlements/purchase/ lists them"
            )
        if not 1 <= len(options["reason"]) <= LONGEST_REASON:
            raise CommandError(f"reason: 1 to {LONGEST_REASON} characters")
        charge = self._charge(found, options["charge"])
        try:
            row = record_refund(
                charge=charge,
                provider=options["provider"],
                reference=options["reference"],
                amount_minor=options["amount"],
                recorded_by=f"command: record_refund: {options['reason']}",
                note=options["reason"],
            )
        except RefundRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        left = kept_minor(charge)
        ended = left == 0 and charge == found.entitlement.payment
        state = "access has ended" if ended else "access stays"
        self.stdout.write(f"recorded {row.amount_minor} {row.currency}: {left} kept, {state}")

    def _charge(self, purchase: Purchase, charge: UUID | None) -> Payment:
        if charge is None:
            return purchase.entitlement.payment
        found = purchase.payments.filter(pk=charge, kind=Payment.Kind.CHARGE).first()
        if found is None:
            raise CommandError(f"charge: {charge} is no charge of purchase {purchase.pk}")
        return found
