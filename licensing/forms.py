from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django_countries import countries

from licensing.access import entities_to_sign_for
from licensing.fields import MarkField, PlainField
from licensing.models import LicensedEntity, User
from licensing.names import same_name
from licensing.signing import AUTHORITY, CONSENT, EntityDetails
from licensing.terms_text import AFFIRMATIONS, Affirmation

LABELS = {
    "redistribution": "No redistribution",
    "resale": "No resale",
    "traceability": "Traceability of copies",
    "responsibility": "Responsibility for people and contractors",
}
NEW_ENTITY_FIELDS = ("legal_name", "country", "address")


class LicenceForm(forms.Form):
    """What a signer fills in: the entity, themselves, and six marks that start unset."""

    terms_sha256 = forms.CharField(widget=forms.HiddenInput, max_length=64)
    # The page's own number: a second press of its button finds the first one's signature.
    attempt = forms.UUIDField(widget=forms.HiddenInput, required=False)
    # The seal of the summary that these answers were on: licensing/summary.py.
    seen = forms.CharField(widget=forms.HiddenInput, required=False, max_length=64)
    entity = forms.ModelChoiceField(
        LicensedEntity.objects.none(),
        required=False,
        empty_label="A new entity, named below",
        label="Licensed entity",
        help_text="The five fields below are for a new entity.",
    )
    legal_name = PlainField(
        required=False, max_length=200, label="Legal name", help_text="As in its register."
    )
    registration_number = PlainField(required=False, max_length=80, label="Registration number")
    country = forms.ChoiceField(required=False, label="Country of registration")
    address = PlainField(
        required=False,
        max_length=500,
        label="Registered address",
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "street-address"}),
    )
    tax_number = PlainField(
        required=False, max_length=40, label="Tax number", help_text="For the invoice: VAT, EIN."
    )
    signer_name = PlainField(
        max_length=200, label="Your full name", widget=forms.TextInput({"autocomplete": "name"})
    )
    signer_title = PlainField(
        max_length=200,
        label="Your title",
        help_text="The office in which you bind the entity, such as Chief Technology Officer.",
        widget=forms.TextInput({"autocomplete": "organization-title"}),
    )
    authority = MarkField(label="Authority to bind", help_text=AUTHORITY)
    consent = MarkField(
        label="Electronic records and signature",
        help_text=CONSENT,
        error_messages={"required": "Agree to this to sign here."},
    )

    def __init__(
        self, *args: Any, account: User, affirmations: Iterable[Affirmation], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.account = account
        choice = self.fields["entity"]
        if isinstance(choice, forms.ModelChoiceField):
            choice.queryset = entities_to_sign_for(account)
            if self.initial.get("entity") not in choice.queryset:
                self.initial["entity"] = choice.queryset.first()
        country = self.fields["country"]
        if isinstance(country, forms.ChoiceField):
            country.choices = [("", "Choose a country"), *countries]
        for affirmation in affirmations:
            self.fields[affirmation.key] = MarkField(
                label=LABELS[affirmation.key],
                help_text=affirmation.text,
                error_messages={"required": "Affirm this sentence to sign."},
            )

    def clean_signer_name(self) -> str:
        """The typed name, if it is the account's."""
        name: str = self.cleaned_data["signer_name"]
        if self.account.name and not same_name(self.account.name, name):
            raise forms.ValidationError(f"Sign with the name of your account: {self.account.name}.")
        return name

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if "entity" not in self.errors and not cleaned.get("entity"):
            for name in NEW_ENTITY_FIELDS:
                if not cleaned.get(name) and name not in self.errors:
                    self.add_error(name, "Needed for a new entity.")
        elif cleaned.get("entity") and cleaned.get("legal_name"):
            # Two entities are named, and only one of them would be bound.
            self.add_error(
                "legal_name",
                "An entity is chosen above. Choose “A new entity” there, or leave this empty.",
            )
        return cleaned

    def party(self) -> LicensedEntity | EntityDetails:
        """The chosen entity, or the details of a new one."""
        data = self.cleaned_data
        if isinstance(data["entity"], LicensedEntity):
            return data["entity"]
        return EntityDetails(
            legal_name=data["legal_name"],
            country=data["country"],
            address=data["address"],
            registration_number=data["registration_number"],
            tax_number=data["tax_number"],
        )

    def marks(self) -> dict[str, bool]:
        """The mark of authority and of each affirmation."""
        return {name: self.cleaned_data[name] is True for name in ("authority", *AFFIRMATIONS)}
