"""The pages for people, as text with every value escaped."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from sandbox.money import readable
from sandbox.pages.asking import field, questions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandbox.shapes import Json

_FOLDER = Path(__file__).parent
STYLESHEET = (_FOLDER / "checkout.css").read_bytes()
_FRAME = Template((_FOLDER / "frame.html").read_text())
_BANK = Template((_FOLDER / "bank.html").read_text())
_CHECKOUT = Template((_FOLDER / "checkout.html").read_text())


def message(title: str, text: str) -> str:
    """Return a page that only says something."""
    return framed(title, f"<p>{escape(text)}</p>")


def framed(title: str, content: str) -> str:
    """Return a whole page; `content` is markup already."""
    return _FRAME.substitute(title=escape(title), content=content)


def checkout(
    session: Json, items: list[Json], *, email: str | None, values: Mapping[str, str], problem: str
) -> str:
    """Return the payment page; `email` is None when the shop's customer already has one."""
    currency, kinds = session["currency"], session["payment_method_types"]
    total = escape(readable(session["amount_total"], currency))
    content = _CHECKOUT.substitute(
        rows="\n    ".join(_row(item) for item in items),
        total=total,
        bank=_BANK.substitute(total=total) if "us_bank_account" in kinds else "",
        renewal=escape(_renewal(items, currency)),
        email="" if email is None else _email_field(email),
        questions=questions(session, values),
        card=escape(values.get("card", "")),
        problem=problem_note(problem),
        problem_id=" problem" if problem else "",
        cancel=_cancel_link(session["cancel_url"]),
    )
    return framed("Sandbox checkout", content)


def _row(item: Json) -> str:
    amount = readable(item["amount_total"], item["currency"])
    recurring = item["price"]["recurring"]
    note = f" <span class='help'>{escape(_every(recurring))}</span>" if recurring else ""
    return (
        f"<tr><td>{escape(item['description'])}{note}</td>"
        f"<td>{item['quantity']}</td><td>{escape(amount)}</td></tr>"
    )


def _every(recurring: Json) -> str:
    count, interval = recurring["interval_count"], recurring["interval"]
    return f"every {interval}" if count == 1 else f"every {count} {interval}s"


def _renewal(items: list[Json], currency: str) -> str:
    recurring = [item for item in items if item["price"]["recurring"]]
    amount = readable(sum(item["amount_total"] for item in recurring), currency)
    return f"Then {amount} {_every(recurring[0]['price']['recurring'])}."


def _email_field(email: str) -> str:
    return field("email", "E-mail", email, kind="email", autocomplete="email")


def problem_note(text: str) -> str:
    """Return what went wrong as a note, or nothing."""
    return f'<p id="problem" class="problem" role="alert">{escape(text)}</p>' if text else ""


def _cancel_link(url: str | None) -> str:
    return f'<p><a href="{escape(url)}">Cancel and go back</a></p>' if url else ""
