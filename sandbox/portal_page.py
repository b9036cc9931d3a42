"""The hosted portal: /p/session/<id>, for a browser with or without JavaScript."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from sandbox import clock, pages
from sandbox.errors import PageRefusal
from sandbox.objects import portal
from sandbox.pages import portal as view
from sandbox.web import Response, html_response

if TYPE_CHECKING:
    from sandbox.shapes import Json
    from sandbox.store import Store
    from sandbox.web import Request
    from sandbox.work import Work


def answer(request: Request, store: Store) -> Response:
    """Show the portal, or do what its forms ask and show it again."""
    clock.do_due(store)
    with store.transaction() as work:
        session = work.find(request.path.removeprefix("/p/session/"))
        if session is None or session["object"] != "billing_portal.session":
            return html_response(pages.message("No such portal", "This address names none."), 404)
        if work.now >= session["created"] + portal.OPEN_SECONDS:
            text = "Go back to the shop to open the portal again."
            return html_response(pages.message("The portal has closed", text), 410)
        if request.method != "POST":
            return _show(work, session)
        try:
            with work.attempt():
                _act(work, session, dict(parse_qsl(request.body)))
        except PageRefusal as refusal:
            return _show(work, session, str(refusal))
        return Response(b"", "text/plain; charset=utf-8", 303, {"Location": session["url"]})


def _act(work: Work, session: Json, given: dict[str, str]) -> None:
    action = given.get("action")
    feature = "payment_method_update" if action == "card" else "subscription_cancel"
    if not portal.allows(work, session, feature):
        raise PageRefusal("The shop does not offer this here.")
    if action == "card":
        portal.change_card(work, session, given.get("card", ""))
    elif action in ("cancel", "resume"):
        wanted = action == "cancel"
        portal.cancel(work, session, given.get("subscription", ""), wanted=wanted)
    else:
        raise PageRefusal("The portal knows no such action.")


def _show(work: Work, session: Json, problem: str = "") -> Response:
    subscriptions = portal.living(work, session)
    names = {
        item["price"]["product"]: work.get("product", item["price"]["product"])["name"]
        for subscription in subscriptions
        for item in subscription["items"]["data"]
    }
    invoices = work.where("invoice", "customer", session["customer"])
    text = view.page(
        session,
        offers={feature: portal.allows(work, session, feature) for feature in view.FEATURES},
        cards=[_card(work, subscription) for subscription in subscriptions],
        subscriptions=[(subscription, names) for subscription in subscriptions],
        invoices=[invoice for invoice in reversed(invoices) if invoice["number"]],
        problem=problem,
    )
    return html_response(text, 402 if problem else 200)


def _card(work: Work, subscription: Json) -> str:
    method = work.find(subscription["default_payment_method"] or "")
    return f"ending in {method[method['type']]['last4']}" if method else "none"
