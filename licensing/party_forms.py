"""Forms of an entity's page: a role, an invitation, the entity's own details."""

from __future__ import annotations

from typing import Any

from django import forms
from django_countries import countries

from licensing.fields import PlainField
from licensing.models import LicensedEntity, Member
from licensing.signing import EntityDetails

WHAT_ROLES_DO = (
    "Every member downloads. A signer also signs licences for the entity; an owner signs, and "
    "decides who is a member."
)


class RoleForm(forms.Form):
    """One of the three roles."""

    role = forms.ChoiceField(choices=Member.Role, label="Role")


class InviteForm(forms.Form):
    """Whom to invite, and as what."""

    email = forms.EmailField(
        max_length=254, label="E-mail address", widget=forms.EmailInput({"autocomplete": "off"})
    )
    role = forms.ChoiceField(
        choices=Member.Role, initial=Member.Role.ENGINEER, label="Role", help_text=WHAT_ROLES_DO
    )


class DetailsForm(forms.Form):
    """How the entity is named in the signatures that are still to come."""

    legal_name = PlainField(max_length=200, label="Legal name", help_text="As in its register.")
    registration_number = PlainField(required=False, max_length=80, label="Registration number")
    country = forms.ChoiceField(label="Country of registration")
    address = PlainField(
        max_length=500,
        label="Registered address",
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "street-address"}),
    )
    tax_number = PlainField(
        required=False, max_length=40, label="Tax number", help_text="For the invoice: VAT, EIN."
    )

    def __init__(self, *args: Any, entity: LicensedEntity, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.initial = getattr(entity, name)
        country = self.fields["country"]
        if isinstance(country, forms.ChoiceField):
            country.choices = [("", "Choose a country"), *countries]

    def details(self) -> EntityDetails:
        """What was filled in."""
        return EntityDetails(**self.cleaned_data)
