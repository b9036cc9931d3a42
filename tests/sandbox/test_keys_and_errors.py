"""Who may ask, and how a refusal looks."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest
import stripe

from tests.sandbox.conftest import API_KEY, ask, kit, sdk

if TYPE_CHECKING:
    from sandbox.server import Server


def test_a_wrong_key_is_an_authentication_error(server: Server) -> None:
    with pytest.raises(stripe.AuthenticationError, match="Invalid API Key provided") as refusal:
        sdk(server, "sk_test_other").v1.customers.list()
    assert refusal.value.http_status == 401


def test_no_key_is_refused_with_a_request_id(server: Server) -> None:
    status, headers, text = ask("GET", f"{server.settings.base_url}/v1/customers")
    assert status == 401
    assert headers["request-id"].startswith("req_")
    assert '"type": "invalid_request_error"' in text


def test_the_key_may_come_by_basic_auth_and_any_version_is_taken(server: Server) -> None:
    credentials = base64.b64encode(f"{API_KEY}:".encode()).decode()
    headers = {"Authorization": f"Basic {credentials}", "Stripe-Version": "2024-06-20"}
    status, answer, _ = ask("GET", f"{server.settings.base_url}/v1/events", headers=headers)
    assert status == 200
    assert answer["stripe-version"] == stripe.api_version


def test_an_unknown_parameter_reaches_the_sdk_as_stripe_words_it(
    client: stripe.StripeClient,
) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refusal:
        client.v1.checkout.sessions.create(kit(colour="red"))
    assert (refusal.value.code, refusal.value.param) == ("parameter_unknown", "colour")
    assert refusal.value.request_id


def test_an_id_that_names_nothing_is_missing(client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="No such subscription") as refusal:
        client.v1.subscriptions.retrieve("sub_nothing")
    assert (refusal.value.http_status, refusal.value.code) == (404, "resource_missing")


def test_an_address_outside_the_sandbox_says_so(client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError, match=r"docs/sandbox\.md"):
        client.v1.payouts.list()


def test_a_parameter_that_is_not_simulated_is_refused_not_ignored(
    client: stripe.StripeClient,
) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refusal:
        client.v1.checkout.sessions.create(kit(subscription_data={"trial_period_days": 7}))
    assert refusal.value.code == "sandbox_not_simulated"


def test_a_body_too_large_is_refused(server: Server) -> None:
    headers = {"Content-Length": str(2 << 20)}
    status, _, _ = ask("POST", f"{server.settings.base_url}/v1/customers", "", headers)
    assert status == 413
