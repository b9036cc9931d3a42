"""The forms of the desk. Each asks why; what moves money asks again, with what will happen."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import uuid4

from django import forms
from django.utils import timezone

from catalog.templatetags.written import money
from entitlements.desk.searching import as_pro_forma, as_uuid
from entitlements.entering import BANK
from entitlements.models import HeldPayment, Purchase
from entitlements.models.desk import MIN_WHY
from entitlements.transfers import LONGEST_REFERENCE

LONGEST_WHY = 1000


class WhyForm(forms.Form):
    """A reason, and nothing else: what will happen stands above it."""

    previews = False
    why = forms.CharField(
        label="Why",
        min_length=MIN_WHY,
        max_length=LONGEST_WHY,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="For the log, which shows it with your name and never changes.",
    )


class PreviewedForm(WhyForm):
    """A form whose first press shows what the second will do."""

    previews = True
    confirmed = forms.BooleanField(required=False, widget=forms.HiddenInput)


class AmountField(forms.DecimalField):
    """Money as a statement writes it; the value is in minor units."""

    def __init__(self, *, label: str, help_text: str, required: bool = True) -> None:
        super().__init__(
            label=label,
            help_text=help_text,
            required=required,
            min_value=Decimal("0.01"),
            max_digits=14,
            decimal_places=2,
        )

    def clean(self, value: Any) -> Any:
        """The amount in minor units; None when it was left empty."""
        said = str(value).replace(",", "").strip() if value else value
        cleaned = super().clean(said)
        return None if cleaned is None else int(cleaned * 100)


def find_purchase(said: str) -> Purchase:
    """The purchase of an id or of a pro-forma invoice's number. Raises ValidationError."""
    rows = Purchase.objects.select_related("entity", "package", "version")
    number, paper = as_uuid(said), as_pro_forma(said)
    found = None
    if number is not None:
        found = rows.filter(pk=number).first()
    elif paper is not None:
        found = rows.filter(pro_forma__number=paper).first()
    if found is None:
        raise forms.ValidationError("No purchase has this id or pro-forma number.")
    return found


class TransferForm(PreviewedForm):
    """A line of the bank's statement."""

    purchase = forms.CharField(
        required=False,
        max_length=60,
        label="Purchase or pro-forma number",
        help_text="TP-000001 or the purchase's id. Left empty, the money is held.",
    )
    amount = AmountField(label="Amount that arrived", help_text="As on the statement: 4700.00")
    currency = forms.CharField(max_length=3, initial="USD", help_text="Three letters")
    received_on = forms.DateField(
        initial=lambda: timezone.now().date(),
        label="Received on",
        help_text="As on the statement: 2026-12-31",
    )
    reference = forms.CharField(
        max_length=LONGEST_REFERENCE,
        label="The bank's reference",
        help_text="The statement's own for this transfer. It counts once, whoever records it.",
    )
    field_order = ("purchase", "amount", "currency", "received_on", "reference", "why")

    def clean_purchase(self) -> Purchase | None:
        """The purchase, or None for money that names none."""
        said = self.cleaned_data["purchase"].strip()
        return find_purchase(said) if said else None


class HeldChoice(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # a generic in the stubs alone: a subscript fails when it runs
    """Held transfers by reference and amount."""

    def label_from_instance(self, obj: HeldPayment) -> str:
        """What tells one held transfer from another."""
        return f"{obj.reference}: {money(obj.amount_minor, obj.currency)}, {obj.reason}"


class ApplyForm(PreviewedForm):
    """Which held transfers pay which purchase."""

    purchase = forms.CharField(max_length=60, label="Purchase or pro-forma number")
    held = HeldChoice(
        HeldPayment.objects.filter(resolution="", provider=BANK),
        label="Held transfers",
        widget=forms.CheckboxSelectMultiple,
    )
    field_order = ("purchase", "held", "why")

    def clean_purchase(self) -> Purchase:
        """The purchase that is to be paid."""
        return find_purchase(self.cleaned_data["purchase"].strip())


class RefundForm(PreviewedForm):
    """How much of a charge goes back."""

    amount = AmountField(
        required=False, label="Amount", help_text="Left empty, all that is left of the charge."
    )
    once = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)
    field_order = ("amount", "why")


class SentForm(WhyForm):
    """Under which reference money was sent by bank."""

    reference = forms.CharField(
        max_length=LONGEST_REFERENCE,
        label="The bank's reference",
        help_text="The statement's own for the transfer that you made.",
    )
    field_order = ("reference", "why")
