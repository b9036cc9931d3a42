"""The forms of a page, read as a browser without scripts reads them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from demo.walkthrough.proof import ProofError

if TYPE_CHECKING:
    from collections.abc import Mapping

UNSENT = {"submit", "button", "reset", "image", "file"}
TICKED = {"checkbox", "radio"}


@dataclass
class Form:
    """A form: where it goes, every control's name, and what it would send untouched."""

    action: str = ""
    method: str = "get"
    names: set[str] = field(default_factory=set)
    values: dict[str, str] = field(default_factory=dict)
    # What a box or a choice sends when it is ticked.
    ticks: dict[str, str] = field(default_factory=dict)

    def filled(self, answers: Mapping[str, str | bool]) -> dict[str, str]:
        """What is sent with these answers; True ticks a box. Raises ProofError for a wrong name."""
        sent = dict(self.values)
        for name, answer in answers.items():
            if name not in self.names:
                raise ProofError(f"the form has no control {name!r}; it has {sorted(self.names)}")
            if isinstance(answer, str):
                sent[name] = answer
            elif answer:
                sent[name] = self.ticks.get(name, "on")
        return sent


class FormReader(HTMLParser):
    """Collects the forms of a page, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self._open: Form | None = None
        self._select = ""
        self._textarea = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a form, a control or a link."""
        found = {name: value or "" for name, value in attrs}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "form":
            self._open = Form(found.get("action", ""), found.get("method", "get").lower())
            self.forms.append(self._open)
        elif self._open is not None:
            self._control(self._open, tag, found, bare={name for name, _ in attrs})

    def handle_endtag(self, tag: str) -> None:
        """Leave a form or a control."""
        if tag == "form":
            self._open = None
        elif tag == "select":
            self._select = ""
        elif tag == "textarea":
            self._textarea = ""

    def handle_data(self, data: str) -> None:
        """Keep the text; inside a text area it is the control's value."""
        if self._textarea and self._open is not None:
            self._open.values[self._textarea] += data
        else:
            self.words.extend(data.split())

    def _control(self, form: Form, tag: str, found: dict[str, str], *, bare: set[str]) -> None:
        name = found.get("name", "")
        if tag == "option" and self._select:
            if "selected" in bare or self._select not in form.values:
                form.values[self._select] = found.get("value", "")
            return
        if not name or "disabled" in bare or tag not in {"input", "select", "textarea", "button"}:
            return
        form.names.add(name)
        if tag == "select":
            self._select = name
        elif tag == "textarea":
            self._textarea = name
            form.values[name] = ""
        elif tag == "input":
            _input(form, name, found, ticked="checked" in bare)


def _input(form: Form, name: str, found: dict[str, str], *, ticked: bool) -> None:
    kind = found.get("type", "text").lower()
    if kind in TICKED:
        form.ticks[name] = found.get("value", "on")
        if ticked:
            form.values[name] = form.ticks[name]
    elif kind not in UNSENT:
        form.values[name] = found.get("value", "")
