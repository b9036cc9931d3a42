"""The page of an invoice: where `hosted_invoice_url` and `invoice_pdf` lead."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from sandbox.money import readable
from sandbox.pages import framed, problem_note
from sandbox.pages.asking import field

if TYPE_CHECKING:
    from sandbox.shapes import Json

_INVOICE = Template((Path(__file__).parent / "invoice.html").read_text())


def page(invoice: Json, *, problem: str = "") -> str:
    """Return an invoice for people, with a form to pay it while it is open."""
    content = _INVOICE.substitute(
        facts="\n  ".join(
            f"<dt>{escape(name)}</dt><dd>{escape(str(text))}</dd>"
            for name, text in _facts(invoice)
            if text
        ),
        rows="\n    ".join(_row(line) for line in invoice["lines"]["data"]),
        problem=problem_note(problem),
        form=_PAY if invoice["status"] == "open" else "",
        total=escape(readable(invoice["total"], invoice["currency"])),
    )
    return framed(f"Invoice {invoice['number']}", content)


def _facts(invoice: Json) -> list[tuple[str, str | None]]:
    address = invoice["customer_address"] or {}
    parts = (address.get(name) for name in ("line1", "line2", "postal_code", "city", "country"))
    return [
        ("Status", invoice["status"]),
        ("Date", day(invoice["effective_at"])),
        ("For", invoice["customer_name"] or invoice["customer_email"]),
        ("Address", ", ".join(part for part in parts if part)),
        ("Tax number", ", ".join(tax["value"] for tax in invoice["customer_tax_ids"] or ())),
        *((entry["name"], entry["value"]) for entry in invoice["custom_fields"] or ()),
        ("Note", invoice["description"]),
        ("Footer", invoice["footer"]),
    ]


def day(moment: int) -> str:
    """Return a moment (Unix seconds) as a date."""
    return datetime.fromtimestamp(moment, UTC).date().isoformat()


def _row(line: Json) -> str:
    amount = readable(line["amount"], line["currency"])
    return (
        f"<tr><td>{escape(line['description'])}</td><td>{line['quantity']}</td>"
        f"<td>{escape(amount)}</td></tr>"
    )


_PAY = (
    '<form method="post">'
    + field("card", "Card number", "4242 4242 4242 4242")
    + '<button type="submit">Pay this invoice</button></form>'
)
