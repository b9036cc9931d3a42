"""Form fields for what becomes evidence: a mark that means yes, a text that reads as it is."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.datastructures import MultiValueDict

YES = {"on", "true", "1", "yes"}
# Line and paragraph separators, controls, and what turns the direction of the text after it.
UNSEEN = {"Cc", "Zl", "Zp"}
TURNING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class Mark(forms.CheckboxInput):
    """A box that counts as ticked only when all that was sent for it says yes.

    Django's own takes any word but "false", so that "off" or "0" would affirm a sentence.
    """

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> bool:
        sent = data.getlist(name) if isinstance(data, MultiValueDict) else [data.get(name)]
        return bool(sent) and all(str(each).lower() in YES for each in sent)


class MarkField(forms.BooleanField):
    """A mark that must be set."""

    widget = Mark


class PlainField(forms.CharField):
    """A text that cannot look like another: no hidden characters, and not only invisible ones."""

    def to_python(self, value: Any) -> str:
        # A browser sends CRLF for every break; a hidden field of a page may bring LF.
        return str(super().to_python(value) or "").replace("\r\n", "\n")

    def validate(self, value: Any) -> None:
        super().validate(value)
        text = str(value or "")
        if any(_is_hidden(each) for each in text if not self._breaks(each)):
            raise ValidationError("Line breaks and hidden characters are not allowed.")
        if text and not any(unicodedata.category(each)[0] in "LN" for each in text):
            raise ValidationError("Needs at least one letter or digit.")

    def _breaks(self, character: str) -> bool:
        return character == "\n" and isinstance(self.widget, forms.Textarea)


def _is_hidden(character: str) -> bool:
    return character in TURNING or unicodedata.category(character) in UNSEEN
