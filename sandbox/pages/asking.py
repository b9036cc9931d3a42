"""The part of the payment page that asks for name, address, tax number and the shop's fields."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sandbox.objects.buyers import asks_address, asks_tax_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandbox.shapes import Json

# Filled in like the card, so that a demonstration is a click away.
SAMPLE = {
    "name": "Ada Example",
    "line1": "1 Example Street",
    "postal_code": "10115",
    "city": "Berlin",
    "country": "DE",
}
_LABELS = {
    "name": ("Name", "name"),
    "line1": ("Street and number", "address-line1"),
    "postal_code": ("Postal code", "postal-code"),
    "city": ("City", "address-level2"),
    "country": ("Country (two letters)", "country"),
}


def questions(session: Json, values: Mapping[str, str]) -> str:
    """Return the fields that this session asks for, filled with `values`."""
    fields = []
    if asks_address(session):
        for name, (label, hint) in _LABELS.items():
            fields.append(field(name, label, values.get(name, ""), autocomplete=hint))
    if asks_tax_number(session):
        given = values.get("tax_number", "")
        fields.append(field("tax_number", "Tax number, if you have one", given, required=False))
    for asked in session["custom_fields"]:
        name, label = f"custom_{asked['key']}", asked["label"]["custom"]
        required = not asked["optional"]
        fields.append(field(name, label, values.get(name, ""), required=required))
    return "\n  ".join(fields)


def field(
    name: str,
    label: str,
    value: str,
    *,
    kind: str = "text",
    autocomplete: str = "off",
    required: bool = True,
) -> str:
    """Return one labelled input."""
    return (
        f'<p class="field"><label for="{escape(name)}">{escape(label)}</label>'
        f'<input id="{escape(name)}" name="{escape(name)}" type="{kind}"'
        f' autocomplete="{autocomplete}"{" required" if required else ""}'
        f' value="{escape(value)}"></p>'
    )
