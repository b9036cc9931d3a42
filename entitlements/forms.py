from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from licensing.models import LicenceSignature

if TYPE_CHECKING:
    from django.db.models import QuerySet


class SignatureChoice(forms.ModelChoiceField):  # type: ignore[type-arg]  # a generic in the stubs alone: a subscript fails when it runs
    """A choice among signed licences, named by entity and time."""

    def label_from_instance(self, obj: LicenceSignature) -> str:
        return f"{obj.entity_legal_name}, signed {obj.signed_at:%Y-%m-%d %H:%M} UTC"


class BuyForm(forms.Form):
    """The licence to buy with, and the buyer's own order number."""

    signature = SignatureChoice(
        LicenceSignature.objects.none(), label="Signed licence", empty_label=None
    )
    purchase_order = forms.CharField(
        required=False,
        max_length=80,
        label="Purchase-order number",
        help_text="Printed on the invoice, if your accounts need one.",
    )

    def __init__(self, *args: Any, signatures: QuerySet[LicenceSignature], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["signature"]
        if isinstance(field, SignatureChoice):
            field.queryset = signatures

    def signature_chosen(self) -> LicenceSignature:
        """The chosen signature."""
        chosen = self.cleaned_data["signature"]
        if not isinstance(chosen, LicenceSignature):
            raise TypeError("the form has not been validated")
        return chosen
