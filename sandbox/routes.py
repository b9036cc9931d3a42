"""Which address takes which of the SDK's params, and who answers it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stripe import params as p
from stripe.params import billing_portal, checkout

from sandbox.answers import (
    acting,
    customers_methods,
    invoice_lines,
    line_items,
    listing,
    reading,
    subscription_items,
    tax_id_list,
)
from sandbox.objects import (
    collecting,
    customers,
    disputes,
    instruments,
    invoice_edits,
    portal,
    products,
    refund_states,
    refunds,
    sessions,
    subscriptions,
    tax_ids,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sandbox.calls import Call
    from sandbox.shapes import Json

    Handler = Callable[[Call], Json]


@dataclass(frozen=True)
class Route:
    """One method and address of the API; `{id}` and `{part}` are handed to the handler."""

    method: str
    path: str
    params: type
    handler: Handler

    def match(self, path: str) -> dict[str, str] | None:
        """Return the ids in `path`, or None if it is another address."""
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path)
        found = re.fullmatch(pattern, path)
        return {"id": ""} | found.groupdict() if found else None


def _plain(url: str, kind: str, retrieve: type, many: type) -> list[Route]:
    return [
        Route("GET", url, many, listing(kind, url)),
        Route("GET", f"{url}/{{id}}", retrieve, reading(kind)),
    ]


def _post(path: str, params: type, action: Handler) -> Route:
    return Route("POST", path, params, acting(action))


_PORTALS = "/v1/billing_portal/configurations"
_TAX_IDS = "/v1/customers/{id}/tax_ids"
_SESSIONS = "/v1/checkout/sessions"
ROUTES: list[Route] = [
    *_plain("/v1/customers", "customer", p.CustomerRetrieveParams, p.CustomerListParams),
    _post("/v1/customers", p.CustomerCreateParams, customers.create),
    _post("/v1/customers/{id}", p.CustomerUpdateParams, customers.update),
    Route(
        "GET",
        "/v1/customers/{id}/payment_methods",
        p.CustomerListPaymentMethodsParams,
        customers_methods,
    ),
    Route("GET", _TAX_IDS, p.CustomerListTaxIdsParams, tax_id_list),
    _post(_TAX_IDS, p.CustomerCreateTaxIdParams, tax_ids.create),
    Route("GET", f"{_TAX_IDS}/{{part}}", p.CustomerRetrieveTaxIdParams, acting(tax_ids.retrieve)),
    Route("DELETE", f"{_TAX_IDS}/{{part}}", p.CustomerDeleteTaxIdParams, tax_ids.delete),
    *_plain("/v1/products", "product", p.ProductRetrieveParams, p.ProductListParams),
    _post("/v1/products", p.ProductCreateParams, products.create_product),
    _post("/v1/products/{id}", p.ProductUpdateParams, products.update_product),
    *_plain("/v1/prices", "price", p.PriceRetrieveParams, p.PriceListParams),
    _post("/v1/prices", p.PriceCreateParams, products.create_price),
    _post("/v1/prices/{id}", p.PriceUpdateParams, products.update_price),
    *_plain(
        _SESSIONS, "checkout.session", checkout.SessionRetrieveParams, checkout.SessionListParams
    ),
    _post(_SESSIONS, checkout.SessionCreateParams, sessions.create),
    _post(f"{_SESSIONS}/{{id}}", checkout.SessionUpdateParams, sessions.update),
    _post(f"{_SESSIONS}/{{id}}/expire", checkout.SessionExpireParams, sessions.expire),
    Route("GET", f"{_SESSIONS}/{{id}}/line_items", checkout.SessionListLineItemsParams, line_items),
    *_plain(
        "/v1/subscriptions", "subscription", p.SubscriptionRetrieveParams, p.SubscriptionListParams
    ),
    _post("/v1/subscriptions/{id}", p.SubscriptionUpdateParams, subscriptions.update),
    Route(
        "DELETE",
        "/v1/subscriptions/{id}",
        p.SubscriptionCancelParams,
        acting(subscriptions.cancel),
    ),
    Route("GET", "/v1/subscription_items", p.SubscriptionItemListParams, subscription_items),
    *_plain("/v1/invoices", "invoice", p.InvoiceRetrieveParams, p.InvoiceListParams),
    _post("/v1/invoices/{id}", p.InvoiceUpdateParams, invoice_edits.update),
    _post("/v1/invoices/{id}/void", p.InvoiceVoidInvoiceParams, invoice_edits.void),
    _post("/v1/invoices/{id}/pay", p.InvoicePayParams, collecting.pay),
    Route("GET", "/v1/invoices/{id}/lines", p.InvoiceListLinesParams, invoice_lines),
    *_plain(
        "/v1/invoice_payments",
        "invoice_payment",
        p.InvoicePaymentRetrieveParams,
        p.InvoicePaymentListParams,
    ),
    *_plain(
        "/v1/payment_intents",
        "payment_intent",
        p.PaymentIntentRetrieveParams,
        p.PaymentIntentListParams,
    ),
    *_plain(
        "/v1/payment_methods",
        "payment_method",
        p.PaymentMethodRetrieveParams,
        p.PaymentMethodListParams,
    ),
    _post("/v1/payment_methods/{id}/attach", p.PaymentMethodAttachParams, instruments.attach),
    _post("/v1/payment_methods/{id}/detach", p.PaymentMethodDetachParams, instruments.detach),
    *_plain("/v1/charges", "charge", p.ChargeRetrieveParams, p.ChargeListParams),
    *_plain("/v1/refunds", "refund", p.RefundRetrieveParams, p.RefundListParams),
    _post("/v1/refunds", p.RefundCreateParams, refunds.create),
    _post("/v1/refunds/{id}", p.RefundUpdateParams, refunds.update),
    _post("/v1/refunds/{id}/cancel", p.RefundCancelParams, refund_states.cancel),
    *_plain("/v1/disputes", "dispute", p.DisputeRetrieveParams, p.DisputeListParams),
    _post("/v1/disputes/{id}", p.DisputeUpdateParams, disputes.update),
    _post("/v1/disputes/{id}/close", p.DisputeCloseParams, disputes.close),
    *_plain(
        "/v1/balance_transactions",
        "balance_transaction",
        p.BalanceTransactionRetrieveParams,
        p.BalanceTransactionListParams,
    ),
    _post("/v1/billing_portal/sessions", billing_portal.SessionCreateParams, portal.open_session),
    *_plain(
        _PORTALS,
        "billing_portal.configuration",
        billing_portal.ConfigurationRetrieveParams,
        billing_portal.ConfigurationListParams,
    ),
    _post(_PORTALS, billing_portal.ConfigurationCreateParams, portal.create_configuration),
    _post(
        f"{_PORTALS}/{{id}}",
        billing_portal.ConfigurationUpdateParams,
        portal.update_configuration,
    ),
    *_plain("/v1/events", "event", p.EventRetrieveParams, p.EventListParams),
]
