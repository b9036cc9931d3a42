"""Forged, stale, repeated and misshapen events: none moves money, and none breaks the page."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from typing import Any

import pytest
from django.test import Client

from entitlements.models import Entitlement, Payment, ProviderEvent, Purchase

SECRET = "whsec_of_the_tests"  # made up here


@pytest.fixture(autouse=True)
def _secret(settings: Any) -> None:
    settings.STRIPE_WEBHOOK_SECRET = SECRET


def event(purchase: Purchase, **changed: Any) -> dict[str, Any]:
    """A paid session of a purchase; `changed` replaces parts of the session."""
    session = {
        "id": "cs_1",
        "payment_status": "paid",
        "client_reference_id": str(purchase.pk),
        "invoice": "in_1",
        "amount_total": purchase.total_minor,
        "currency": "usd",
    }
    kind = "checkout.session.completed"
    return {"id": "evt_1", "type": kind, "data": {"object": session | changed}}


def signed(body: bytes, *, secret: str = SECRET, age: int = 0) -> str:
    """The header with which Stripe signs a body."""
    stamp = int(time.time()) - age
    mark = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={stamp},v1={mark}"


def send(body: bytes, header: str) -> int:
    """Post a body as the provider does, without a session; returns the status."""
    response = Client(raise_request_exception=False).post(
        "/webhooks/stripe/", body, "application/json", headers={"Stripe-Signature": header}
    )
    return response.status_code


def test_the_genuine_event_brings_the_entitlement_once(pending: Purchase) -> None:
    body = json.dumps(event(pending)).encode()
    assert [send(body, signed(body)) for _ in range(3)] == [200, 200, 200]
    assert Entitlement.objects.get().purchase == pending
    assert Payment.objects.count() == ProviderEvent.objects.count() == 1


@pytest.mark.parametrize(
    "header", ["", "aaaa", "t=,v1=", "t=nan,v1=a", f"t={'9' * 5000},v1=a", "t=1,v1=\xff"]
)
def test_a_forged_header_is_refused(pending: Purchase, header: str) -> None:
    assert send(json.dumps(event(pending)).encode(), header) == 400
    assert not ProviderEvent.objects.exists()


def test_another_secret_an_old_time_and_another_body_are_refused(pending: Purchase) -> None:
    body = json.dumps(event(pending)).encode()
    cheaper = json.dumps(event(pending, amount_total=1)).encode()
    assert send(body, signed(body, secret="")) == 400
    assert send(body, signed(body, secret="whsec_other")) == 400
    assert send(body, signed(body, age=301)) == 400
    assert send(cheaper, signed(body)) == 400
    assert not ProviderEvent.objects.exists()


def test_without_a_secret_of_the_store_nothing_verifies(pending: Purchase, settings: Any) -> None:
    settings.STRIPE_WEBHOOK_SECRET = ""
    body = json.dumps(event(pending)).encode()
    assert send(body, signed(body, secret="")) == 400


@pytest.mark.parametrize(
    "changed",
    [
        {"amount_total": 1},
        {"amount_total": None},
        {"amount_total": "250000"},
        {"currency": "eur"},
        {"currency": None},
    ],
)
def test_other_money_is_held_and_opens_nothing(pending: Purchase, changed: dict[str, Any]) -> None:
    body = json.dumps(event(pending, **changed)).encode()
    assert send(body, signed(body)) == 200
    assert ProviderEvent.objects.get().outcome == ProviderEvent.Outcome.HELD
    assert not Payment.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"id": "evt_1"}',
        b'{"id": "evt_1", "type": "x", "data": {"object": "text"}}',
        b'{"id": "evt_1", "type": "x", "data": {"object": null}}',
        b'{"id": "evt_1", "type": "x", "data": {"object": {"name": "a\\u0000b"}}}',
        b'{"id": "evt_1", "type": "x", "data": {"object": {"amount": NaN}}}',
        b'{"id": "evt_%s", "type": "x", "data": {"object": {}}}' % (b"1" * 200),
        b'{"id": "evt_1", "type": "%s", "data": {"object": {}}}' % (b"x" * 200),
        b"[" * 100_000,
    ],
)
def test_a_signed_body_that_is_no_event_is_400_and_leaves_no_row(db: None, body: bytes) -> None:
    assert send(body, signed(body)) == 400
    assert not ProviderEvent.objects.exists()


def test_a_body_of_megabytes_is_refused_before_it_is_read(db: None) -> None:
    assert send(b"x" * 3_000_000, "t=1,v1=a") == 400
