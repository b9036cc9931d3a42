"""The hosted checkout: /c/pay/<session id>, for a browser with or without JavaScript."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from sandbox import clock, pages
from sandbox.objects.instruments import (
    CARD,
    CardRefusedError,
    Instrument,
    bank_account,
    read_card,
)
from sandbox.objects.paying import pay_session
from sandbox.web import Response

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
            return _page(pages.message("No such checkout", "This address names no session."), 404)
        if request.method == "POST":
            return _pay(work, session, request)
        return _show(work, session)


def _show(work: Work, session: Json) -> Response:
    if session["status"] != "open":
        return _closed(session)
    return _form(work, session, _known_email(work, session) or "", _FIRST_CARD)


def _pay(work: Work, session: Json, request: Request) -> Response:
    if session["status"] == "complete":
        return _redirect(session)
    if session["status"] != "open":
        return _closed(session)
    fields = parse_qs(request.body)
    number = fields.get("card", [""])[0]
    email = _known_email(work, session) or fields.get("email", [""])[0].strip()
    if "@" not in email:
        return _form(work, session, email, number, "Enter the e-mail address for the receipt.")
    try:
        instrument = _instrument(session, fields, number, now=work.now)
    except CardRefusedError as refusal:
        return _form(work, session, email, number, str(refusal))
    return _redirect(pay_session(work, session=session, instrument=instrument, email=email))


def _instrument(
    session: Json, fields: dict[str, list[str]], number: str, *, now: int
) -> Instrument:
    method = fields.get("method", [CARD])[0]
    if method not in session["payment_method_types"]:
        raise CardRefusedError("The shop does not take this way to pay.")
    if method == CARD:
        return read_card(number, now=now)
    return bank_account("fails" if fields.get("account") == ["fails"] else "works")


def _known_email(work: Work, session: Json) -> str | None:
    """Return the address that the shop gave with the session or its customer."""
    customer = work.find(session["customer"] or "")
    found = session["customer_email"] or (customer and customer["email"])
    return str(found) if found else None


def _form(work: Work, session: Json, email: str, card: str, problem: str = "") -> Response:
    items = work.children("item", session["id"])
    asked = None if _known_email(work, session) else email
    text = pages.checkout(session, items, email=asked, card=card, problem=problem)
    return _page(text, 402 if problem else 200, leads_to=session["success_url"])


def _closed(session: Json) -> Response:
    if session["status"] == "complete":
        return _page(pages.message("Already paid", "This checkout is complete."), 410)
    text = "This checkout is no longer open. Go back to the shop to start again."
    return _page(pages.message("Checkout expired", text), 410)


def _redirect(session: Json) -> Response:
    target = session["success_url"].replace(_PLACEHOLDER, session["id"])
    return Response(b"", "text/plain; charset=utf-8", 303, {"Location": target})


def _page(text: str, status: int, leads_to: str = "") -> Response:
    # Browsers hold the redirect after a form to `form-action` too, so the shop's origin is in it.
    target = urlsplit(leads_to)
    origin = f" {target.scheme}://{target.netloc}" if target.netloc else ""
    policy = (
        "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none';"
        f" form-action 'self'{origin}"
    )
    headers = {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"}
    return Response(text.encode(), "text/html; charset=utf-8", status, headers)
