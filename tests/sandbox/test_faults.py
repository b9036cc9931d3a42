"""Calls that fail on demand, before or after they took effect."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
import stripe

from tests.sandbox.conftest import API_KEY, ask, control, refused

if TYPE_CHECKING:
    from sandbox.server import Server


@pytest.fixture
def once(server: Server) -> stripe.StripeClient:
    """A client that does not repeat a call by itself, and waits for two seconds."""
    return stripe.StripeClient(
        API_KEY,
        base_addresses={"api": server.settings.base_url},
        max_network_retries=0,
        http_client=stripe.RequestsClient(timeout=2),
    )


def arm(server: Server, **values: Any) -> None:
    control(server, "POST", "/faults", values)


def make(client: stripe.StripeClient, key: str = "a") -> stripe.Product:
    return client.v1.products.create({"name": "Kit"}, options={"idempotency_key": key})


def made(client: stripe.StripeClient) -> int:
    return len(client.v1.products.list().data)


@pytest.mark.parametrize(
    ("mode", "error"),
    [
        ("500", stripe.APIError),
        ("drop", stripe.APIConnectionError),
        ("timeout", stripe.APIConnectionError),
    ],
)
@pytest.mark.parametrize(("when", "effects"), [("before", 0), ("after", 1)])
def test_a_call_fails_before_or_after_its_effect(
    server: Server, once: stripe.StripeClient, mode: str, error: Any, when: str, effects: int
) -> None:
    arm(server, mode=mode, when=when, seconds=3)
    with pytest.raises(error):
        make(once)
    assert made(once) == effects
    # The same key again: what was lost is answered, or done now; never twice.
    assert make(once).name == "Kit"
    assert made(once) == 1


def test_the_n_th_call_fails_and_no_other(server: Server, once: stripe.StripeClient) -> None:
    arm(server, mode="500", next=3)
    make(once, "1")
    make(once, "2")
    with pytest.raises(stripe.APIError):
        make(once, "3")
    make(once, "4")
    assert made(once) == 3


def test_a_client_that_repeats_is_stopped_by_several_faults(
    server: Server,
) -> None:
    client = stripe.StripeClient(
        API_KEY, base_addresses={"api": server.settings.base_url}, max_network_retries=1
    )
    arm(server, mode="drop")
    assert make(client).name == "Kit"  # the SDK repeats by itself
    arm(server, mode="drop", times=2)
    with pytest.raises(stripe.APIConnectionError):
        make(client, "b")


def test_a_fault_counts_only_the_calls_it_is_for(server: Server, once: stripe.StripeClient) -> None:
    arm(server, mode="500", method="POST", path="/v1/products", next=2)
    make(once)
    assert made(once) == 1
    once.v1.customers.create({"name": "x"})
    with pytest.raises(stripe.APIError):
        make(once, "b")


def test_calls_are_counted_and_faults_disarmed(server: Server, once: stripe.StripeClient) -> None:
    control(server, "DELETE", "/faults")
    arm(server, mode="500", next=5)
    made(once)
    state = control(server, "GET", "/faults")
    assert (state["calls"], state["armed"][0]["next"]) == (1, 4)
    assert control(server, "DELETE", "/faults") == {"calls": 0, "armed": []}
    for _ in range(6):
        made(once)


def test_a_silent_call_holds_up_no_other(server: Server, once: stripe.StripeClient) -> None:
    arm(server, mode="timeout", seconds=3)
    ends: list[Exception] = []

    def call() -> None:
        try:
            made(once)
        except stripe.APIConnectionError as error:
            ends.append(error)

    silent = threading.Thread(target=call)
    silent.start()
    while control(server, "GET", "/faults")["armed"]:
        time.sleep(0.01)
    start = time.monotonic()
    address = f"{server.settings.base_url}/v1/products"
    assert ask("GET", address, "", {"Authorization": f"Bearer {API_KEY}"})[0] == 200
    assert time.monotonic() - start < 2
    silent.join()
    assert len(ends) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"mode": "sulk"},
        {"mode": "500", "next": 0},
        {"mode": "500", "times": "2"},
        {"mode": "500", "when": "during"},
        {"mode": "500", "colour": "red"},
        {"mode": "timeout", "seconds": -1},
        {"mode": "500", "path": 5},
        {},
        [],
    ],
)
def test_a_fault_that_cannot_be_is_refused(server: Server, body: Any) -> None:
    assert refused(server, "/faults", body)
    assert control(server, "GET", "/faults")["armed"] == []
