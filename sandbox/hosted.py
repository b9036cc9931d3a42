"""The hosted checkout: /c/pay/<session id>, for a browser with or without JavaScript."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from sandbox import clock, pages
from sandbox.errors import PageRefusal
from sandbox.objects import buyers
from sandbox.objects.instruments import (
    CARD,
    Instrument,
    bank_account,
    read_card,
)
from sandbox.objects.paying import pay_session
from sandbox.pages.asking import SAMPLE
from sandbox.web import Response, html_response

if TYPE_CHECKING:
    from sandbox.shapes import Json
    from sandbox.store import Store
    from sandbox.web import Request
    from sandbox.work import Work

_FIRST_CARD = "4242 4242 4242 4242"
_PLACEHOLDER = "{CHECKOUT_SESSION_ID}"


def answer(request: Request, store: Store) -> Response:
    """Show or take a payment; a second submit of a paid session only redirects again."""
    if request.path == "/c/assets/checkout.css":
        return Response(pages.STYLESHEET, "text/css; charset=utf-8")
    clock.do_due(store)
    with store.transaction() as work:
        session = work.find(request.path.removeprefix("/c/pay/"))
        if session is None or session["object"] != "checkout.session":
            text = pages.message("No such checkout", "This address names no session.")
            return html_response(text, 404)
        if request.method == "POST":
            return _pay(work, session, request)
        return _show(work, session)


def _show(work: Work, session: Json) -> Response:
    if session["status"] != "open":
        return _closed(session)
    return _form(work, session, {"card": _FIRST_CARD} | _known(work, session))


def _pay(work: Work, session: Json, request: Request) -> Response:
    if session["status"] == "complete":
        return _redirect(session)
    if session["status"] != "open":
        return _closed(session)
    given = dict(parse_qsl(request.body))
    email = _known_email(work, session) or given.get("email", "").strip()
    try:
        with work.attempt():
            instrument = _instrument(session, given, now=work.now)
            buyer = buyers.read(session, given, email=email)
            paid = pay_session(work, session=session, instrument=instrument, buyer=buyer)
    except PageRefusal as refusal:
        return _form(work, session, given, str(refusal))
    return _redirect(paid)


def _instrument(session: Json, given: dict[str, str], *, now: int) -> Instrument:
    method = given.get("method", CARD)
    if method not in session["payment_method_types"]:
        raise PageRefusal("The shop does not take this way to pay.")
    if method == CARD:
        return read_card(given.get("card", ""), now=now)
    return bank_account("fails" if given.get("account") == "fails" else "works")


def _known_email(work: Work, session: Json) -> str | None:
    """Return the address that the shop gave with the session or its customer."""
    customer = work.find(session["customer"] or "")
    found = session["customer_email"] or (customer and customer["email"])
    return str(found) if found else None


def _known(work: Work, session: Json) -> dict[str, str]:
    """Return what the form is filled with: the customer's own address, or else the sample."""
    customer = work.find(session["customer"] or "")
    address = customer and customer["address"]
    if not customer or not address:
        return SAMPLE
    known = {"name": customer["name"], **address}
    return {name: text for name, text in known.items() if text}


def _form(work: Work, session: Json, values: dict[str, str], problem: str = "") -> Response:
    items = work.children("item", session["id"])
    asked = None if _known_email(work, session) else values.get("email", "")
    text = pages.checkout(session, items, email=asked, values=values, problem=problem)
    return html_response(text, 402 if problem else 200, leads_to=session["success_url"])


def _closed(session: Json) -> Response:
    if session["status"] == "complete":
        return html_response(pages.message("Already paid", "This checkout is complete."), 410)
    text = "This checkout is no longer open. Go back to the shop to start again."
    return html_response(pages.message("Checkout expired", text), 410)


def _redirect(session: Json) -> Response:
    target = session["success_url"].replace(_PLACEHOLDER, session["id"])
    return Response(b"", "text/plain; charset=utf-8", 303, {"Location": target})
