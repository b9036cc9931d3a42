"""The pro-forma invoice on paper: who pays whom how much, for what, under which reference."""

from __future__ import annotations

from typing import Any

from django_countries import countries

from catalog.printing import set_document
from entitlements.models import ProForma
from entitlements.seller import Seller, seller


def pro_forma_pdf(paper: ProForma) -> bytes:
    """The invoice as PDF; the same rows and settings give the same bytes."""
    return set_document("pro_forma.typ", pro_forma_sheet(paper))


def pro_forma_sheet(paper: ProForma) -> dict[str, Any]:
    """What stands on the paper, as plain data for its template."""
    purchase, to = paper.purchase, paper.billed_to
    release = f"{purchase.package.slug} {purchase.version.version}"
    by = seller() or Seller(name="", address="", tax_number="", bank="", account="", code="")
    a_month = written(purchase.maintenance_minor)
    maintenance = paper.months * purchase.maintenance_minor
    return {
        "number": paper.name,
        "date": paper.issued_at.strftime("%Y-%m-%d"),
        "seller": [by.name, *_lines(by.address), _named("Tax number", by.tax_number)],
        "buyer": [
            to["legal_name"],
            *_lines(to["address"]),
            str(countries.name(to["country"])),
            _named("Registration number", to["registration_number"]),
            _named("Tax number", to["tax_number"]),
        ],
        "facts": [
            ["Your purchase order", paper.purchase_order],
            ["Purchase", str(purchase.pk)],
            ["Package", f"{purchase.version.definition.title}, version {purchase.version.version}"],
        ],
        "items": [
            [f"{release}, one-time price", written(purchase.price_minor)],
            [
                f"Maintenance, {paper.months} months from the day of payment, at {a_month} a month",
                written(maintenance),
            ],
        ],
        "currency": paper.currency,
        "total": written(paper.amount_minor),
        "account": [
            ["Account holder", by.name],
            ["Bank", by.bank],
            ["Account", by.account],
            ["BIC", by.code],
            ["Amount", f"{written(paper.amount_minor)} {paper.currency}"],
            ["Reference", paper.name],
        ],
        "terms": purchase.signature.terms_sha256,
    }


def written(minor: int) -> str:
    """Minor units with their decimals, as an invoice writes them: 254000 is 2,540.00."""
    whole, cents = divmod(minor, 100)
    return f"{whole:,}.{cents:02}"


def _lines(address: str) -> list[str]:
    parts = [part.strip() for line in address.splitlines() for part in line.split(",")]
    return [part for part in parts if part]


def _named(name: str, value: str) -> str:
    return f"{name} {value}" if value else ""
