"""The billing portal: sessions that the shop opens, configurations, and what a buyer does there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stripe
from stripe import billing_portal

from sandbox.calls import Call, changed, echoed, merged_metadata
from sandbox.errors import PageRefusal
from sandbox.objects import ending
from sandbox.objects.instruments import add_payment_method, behave, read_card
from sandbox.shapes import Json, new

if TYPE_CHECKING:
    from sandbox.work import Work

OPEN_SECONDS = 3600
_EVERYTHING = {
    "invoice_history": {"enabled": True},
    "payment_method_update": {"enabled": True},
    "subscription_cancel": {"enabled": True, "mode": "at_period_end"},
}
_NOT_SIMULATED = ("after_expiration", "customer_account", "flow_data", "on_behalf_of")


def open_session(call: Call) -> Json:
    """POST /v1/billing_portal/sessions."""
    work, params = call.work, call.params
    resource = billing_portal.Session
    handled = ("configuration", "customer")
    fields = echoed(resource, params, handled=handled, refused=_NOT_SIMULATED)
    customer = work.get("customer", params.get("customer", ""), param="customer")
    configuration = _configuration(work, params.get("configuration"))
    fields |= {"configuration": configuration["id"], "customer": customer["id"]}
    fields.setdefault("return_url", configuration["default_return_url"])
    session = new(resource, work.now, fields)
    session["url"] = f"{call.base_url}/p/session/{session['id']}"
    work.emit("billing_portal.session.created", work.add(session))
    return session


def create_configuration(call: Call) -> Json:
    """POST /v1/billing_portal/configurations."""
    fields = echoed(billing_portal.Configuration, call.params, handled=("login_page",))
    fields["metadata"] = merged_metadata({}, call.params)
    return _add_configuration(call.work, fields)


def update_configuration(call: Call) -> Json:
    """POST /v1/billing_portal/configurations/{id}."""
    configuration = call.work.get("billing_portal.configuration", call.id)
    resource = billing_portal.Configuration
    changes = echoed(resource, call.params, handled=("features", "login_page"))
    changes["features"] = {**configuration["features"], **call.params.get("features", {})}
    changes["metadata"] = merged_metadata(configuration["metadata"], call.params)
    after, before = changed(resource, configuration, changes | {"updated": call.work.now})
    call.work.emit("billing_portal.configuration.updated", call.work.save(after), before)
    return after


def allows(work: Work, session: Json, feature: str) -> bool:
    """Say whether a session's configuration offers a feature."""
    configuration = work.get("billing_portal.configuration", session["configuration"])
    return bool(configuration["features"][feature]["enabled"])


def change_card(work: Work, session: Json, number: str) -> None:
    """Put a card in the place of the one that is charged; raises PageRefusal for a bad one."""
    customer = work.get("customer", session["customer"])
    card = read_card(number, now=work.now)
    method = add_payment_method(work, customer, card)
    behave(work, method["id"], card.later)
    chosen = {"default_payment_method": method["id"]}
    settings = {**customer["invoice_settings"], **chosen}
    after, before = changed(stripe.Customer, customer, {"invoice_settings": settings})
    work.emit("customer.updated", work.save(after), before)
    for subscription in living(work, session):
        after, before = changed(stripe.Subscription, subscription, chosen)
        work.emit("customer.subscription.updated", work.save(after), before)


def cancel(work: Work, session: Json, subscription_id: str, *, wanted: bool) -> None:
    """Cancel one of the buyer's subscriptions as the configuration says, or resume it."""
    subscription = next((s for s in living(work, session) if s["id"] == subscription_id), None)
    if subscription is None:
        raise PageRefusal("This subscription has ended.")
    configuration = work.get("billing_portal.configuration", session["configuration"])
    if wanted and configuration["features"]["subscription_cancel"]["mode"] == "immediately":
        ending.end(work, subscription, reason="cancellation_requested")
        return
    changes = ending.at_period_end(work, subscription, wanted=wanted)
    after, before = changed(stripe.Subscription, subscription, changes)
    work.emit("customer.subscription.updated", work.save(after), before)


def living(work: Work, session: Json) -> list[Json]:
    """Return the buyer's subscriptions that have not ended."""
    mine = work.where("subscription", "customer", session["customer"])
    return [s for s in mine if s["status"] in ("active", "past_due", "incomplete")]


def _configuration(work: Work, identifier: str | None) -> Json:
    kind = "billing_portal.configuration"
    if identifier:
        return work.get(kind, identifier, param="configuration")
    known = [found for found in work.newest(kind) if found["is_default"]]
    if known:
        return known[0]
    return _add_configuration(work, {"features": _EVERYTHING, "is_default": True, "metadata": {}})


def _add_configuration(work: Work, fields: Json) -> Json:
    values = {"active": True, "updated": work.now, **fields}
    configuration = work.add(new(billing_portal.Configuration, work.now, values))
    work.emit("billing_portal.configuration.created", configuration)
    return configuration
