"""The page of an invoice: /i/<id>, where an open one can be paid with another card."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from sandbox import clock, pages
from sandbox.errors import PageRefusal
from sandbox.objects.collecting import collect
from sandbox.objects.instruments import add_payment_method, behave, read_card
from sandbox.pages import invoices as view
from sandbox.web import Response, html_response

if TYPE_CHECKING:
    from sandbox.shapes import Json
    from sandbox.store import Store
    from sandbox.web import Request
    from sandbox.work import Work


def answer(request: Request, store: Store) -> Response:
    """Show an invoice that has a number, or pay it and show it again."""
    clock.do_due(store)
    identifier = request.path.removeprefix("/i/").removesuffix("/pdf")
    with store.transaction() as work:
        invoice = work.find(identifier)
        if invoice is None or invoice["object"] != "invoice" or not invoice["number"]:
            text = "This address names no invoice."
            return html_response(pages.message("No such invoice", text), 404)
        if request.method != "POST":
            return html_response(view.page(invoice), 200)
        try:
            with work.attempt():
                _pay(work, invoice, dict(parse_qsl(request.body)).get("card", ""))
        except PageRefusal as refusal:
            return html_response(view.page(invoice, problem=str(refusal)), 402)
        return Response(b"", "text/plain; charset=utf-8", 303, {"Location": request.path})


def _pay(work: Work, invoice: Json, number: str) -> None:
    processing = [
        intent
        for intent in work.children("payment_intent", invoice["id"])
        if intent["status"] == "processing"
    ]
    if invoice["status"] != "open" or processing:
        raise PageRefusal("This invoice is not open for payment.")
    card = read_card(number, now=work.now)
    method = add_payment_method(work, work.get("customer", invoice["customer"]), card)
    collect(work, dict(invoice), scheduled=False, payment_method=method)
    behave(work, method["id"], card.later)
