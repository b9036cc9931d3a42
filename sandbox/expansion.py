"""`expand[]`: ids replaced by their objects, and the lists that Stripe sends only on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.errors import ApiError
from sandbox.shapes import Json, list_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandbox.work import Work

DEEPEST = 4
# (kind, field): (kind of the children, address of their list)
_ON_REQUEST = {
    ("charge", "refunds"): ("refund", "/v1/charges/{id}/refunds"),
    ("checkout.session", "line_items"): ("item", "/v1/checkout/sessions/{id}/line_items"),
    ("customer", "tax_ids"): ("tax_id", "/v1/customers/{id}/tax_ids"),
    ("invoice", "payments"): ("invoice_payment", "/v1/invoice_payments?invoice={id}"),
}
# Stripe sends these on request too; the sandbox has nothing to put in them.
_NEVER = {"customer": ("cash_balance", "sources", "subscriptions", "tax")}


def shown(work: Work, obj: Json, paths: Sequence[str] = ()) -> Json:
    """Return the object as a client sees it; raises ApiError (400) for a path it cannot follow."""
    result = _without_lists(obj)
    for path in paths:
        parts = path.split(".")
        if len(parts) > DEEPEST:
            raise ApiError(
                f"You cannot expand more than {DEEPEST} levels of a property. Property: {path}",
                param="expand",
            )
        _expand(work, result, parts, path)
    return result


def _without_lists(obj: Json) -> Json:
    kind = obj.get("object", "")
    absent = _NEVER.get(kind, ())
    return {
        name: value
        for name, value in obj.items()
        if (kind, name) not in _ON_REQUEST and name not in absent
    }


def _expand(work: Work, node: Any, parts: list[str], path: str) -> None:
    if not parts or node is None:
        return
    if isinstance(node, list):
        for child in node:
            _expand(work, child, parts, path)
        return
    name, rest = parts[0], parts[1:]
    _load(work, node, name, path, last=not rest)
    _expand(work, node[name], rest, path)


def _load(work: Work, node: Any, name: str, path: str, *, last: bool) -> None:
    on_request = _ON_REQUEST.get((node.get("object", ""), name)) if isinstance(node, dict) else None
    if on_request:
        kind, url = on_request
        children = [_without_lists(child) for child in work.children(kind, node["id"])]
        node.setdefault(name, list_of(url.format(id=node["id"]), children))
        return
    if not isinstance(node, dict) or name not in node:
        raise _not_expandable(path)
    value = node[name]
    if isinstance(value, str):
        target = work.find(value)
        if target is None:
            raise _not_expandable(path)
        node[name] = _without_lists(target)
    elif last and not isinstance(value, dict | None):
        raise _not_expandable(path)


def _not_expandable(path: str) -> ApiError:
    return ApiError(f"This property cannot be expanded ({path}).", param="expand")
