"""The provider's events over HTTP: what is believed, and what every other body gets."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from django.test import Client

from entitlements.models import Entitlement, Payment, ProviderEvent, Purchase
from entitlements.stripe.checkout import start_checkout
from sandbox.signing import signature_header
from tests.provider import WEBHOOK, Provider, paid_event, send
from tests.sandbox.conftest import WEBHOOK_SECRET

pytestmark = pytest.mark.usefixtures("webhook_secret")
EVENT = {"id": "evt_1", "type": "customer.created", "data": {"object": {"id": "cus_1"}}}


def refused(response: Any, reason: str) -> None:
    """The answer is a plain 400, and nothing is stored."""
    assert (response.status_code, response.json()) == (400, {"error": reason})
    assert not ProviderEvent.objects.exists()


def test_the_providers_own_event_completes_the_purchase(
    provider: Provider, pending: Purchase
) -> None:
    provider.pay(start_checkout(pending))
    response = send(provider.event())
    assert (response.status_code, response.json()) == (200, {"outcome": "applied"})
    assert Entitlement.objects.get().purchase == pending
    assert Payment.objects.get().reference == provider.sessions()[0].invoice
    assert ProviderEvent.objects.get().payload == provider.event()


def test_an_unsigned_event_is_refused(db: None, client: Client) -> None:
    response = client.post(WEBHOOK, EVENT, content_type="application/json")
    refused(response, "Stripe-Signature: does not verify")


@pytest.mark.parametrize(
    "header",
    ["", "t=1", "v1=00", "t=now,v1=00", "t=9999999999,v0=00", "nothing", "=,=", "t=1,v1=é", "💶"],
)
def test_a_malformed_signature_is_refused(db: None, header: str) -> None:
    refused(send(EVENT, header=header), "Stripe-Signature: does not verify")


def test_another_secrets_signature_is_refused(db: None) -> None:
    refused(send(EVENT, secret="whsec_other"), "Stripe-Signature: does not verify")


def test_a_signature_is_of_the_exact_body(pending: Purchase) -> None:
    raw = json.dumps(paid_event(pending)).encode()
    header = signature_header(raw, secret=WEBHOOK_SECRET, now=int(time.time()))
    changed = raw.replace(b'"paid"', b'"paid" ')
    refused(send(changed, header=header), "Stripe-Signature: does not verify")


def test_a_signature_lives_for_five_minutes(db: None) -> None:
    refused(send(EVENT, age=302), "Stripe-Signature: does not verify")
    assert send(EVENT, age=295).status_code == 200


@pytest.mark.parametrize("unset", ["", "  "])
def test_without_a_secret_nothing_is_believed(
    db: None, settings: Any, unset: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings.STRIPE_WEBHOOK_SECRET = unset
    refused(send(EVENT, secret=unset), "Stripe-Signature: does not verify")
    assert "STRIPE_WEBHOOK_SECRET is not set: every event is refused" in caplog.text


@pytest.mark.parametrize("method", ["get", "head", "put", "patch", "delete", "options"])
def test_only_a_post_is_taken(db: None, client: Client, method: str) -> None:
    response = getattr(client, method)(WEBHOOK)
    assert (response.status_code, response["Allow"]) == (405, "POST")


NO_EVENTS: dict[str, bytes] = {
    "empty": b"",
    "no JSON": b"id=evt_1",
    "a list": b"[]",
    "null": b"null",
    "a number": b"3",
    "nothing in it": b"{}",
    "no data": b'{"id": "evt_1", "type": "x"}',
    "data is a text": b'{"id": "evt_1", "type": "x", "data": "object"}',
    "object is a text": b'{"id": "evt_1", "type": "x", "data": {"object": "cs_1"}}',
    "object is a list": b'{"id": "evt_1", "type": "x", "data": {"object": []}}',
    "id is an object": b'{"id": {}, "type": "x", "data": {"object": {}}}',
    "id is a number": b'{"id": 1, "type": "x", "data": {"object": {}}}',
    "id is empty": b'{"id": "", "type": "x", "data": {"object": {}}}',
    "type is null": b'{"id": "evt_1", "type": null, "data": {"object": {}}}',
    "half a surrogate in the id": b'{"id": "\\ud800", "type": "x", "data": {"object": {}}}',
    "not a number": b'{"id": "evt_1", "type": "x", "data": {"object": {"a": NaN}}}',
    "too deep": b"[" * 200_000,
}


@pytest.mark.parametrize("body", NO_EVENTS.values(), ids=NO_EVENTS)
def test_a_signed_body_that_is_no_event_is_refused(db: None, body: bytes) -> None:
    refused(send(body), "body: not an event")


UNSTORABLE: dict[str, dict[str, Any]] = {
    "NUL in the id": {"id": "evt_\0"},
    "NUL deep inside": {"data": {"object": {"a": ["\0"]}}},
    "half a surrogate inside": {"data": {"object": {"a": "\ud800"}}},
    "a number beyond all": {"data": {"object": {"a": float("inf")}}},
    "an id too long": {"id": "e" * 121},
    "a type too long": {"type": "t" * 81},
}


@pytest.mark.parametrize("part", UNSTORABLE.values(), ids=UNSTORABLE)
def test_what_postgres_cannot_hold_is_refused(db: None, part: dict[str, Any]) -> None:
    response = send(EVENT | part)
    assert response.status_code == 400
    assert response.json()["error"].startswith("body: ")
    assert not ProviderEvent.objects.exists()


def test_bytes_that_are_no_text_are_refused(db: None) -> None:
    refused(send(b'{"id": "\xff\xfe"}'), "Stripe-Signature: does not verify")


def test_a_huge_body_is_refused_unread(db: None) -> None:
    assert send(b" " * 3_000_000).status_code == 400
    assert not ProviderEvent.objects.exists()
