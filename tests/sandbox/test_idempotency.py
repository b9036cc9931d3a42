"""The same key twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import stripe

from tests.sandbox.conftest import kit


def test_the_same_request_again_gets_the_first_answer(client: stripe.StripeClient) -> None:
    first = client.v1.checkout.sessions.create(kit(), {"idempotency_key": "k"})
    again = client.v1.checkout.sessions.create(kit(), {"idempotency_key": "k"})
    assert again.id == first.id
    assert again.last_response is not None
    assert again.last_response.headers["Idempotent-Replayed"] == "true"
    assert len(client.v1.checkout.sessions.list().data) == 1


def test_other_params_under_the_same_key_are_refused(client: stripe.StripeClient) -> None:
    client.v1.checkout.sessions.create(kit(), {"idempotency_key": "k"})
    with pytest.raises(stripe.IdempotencyError, match="same parameters"):
        client.v1.checkout.sessions.create(kit(metadata={"a": "b"}), {"idempotency_key": "k"})


def test_requests_at_the_same_moment_make_one_session(client: stripe.StripeClient) -> None:
    def create(_: int) -> str:
        return client.v1.checkout.sessions.create(kit(), {"idempotency_key": "k"}).id

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(create, range(6)))) == 1


def test_a_refusal_is_kept_too_and_leaves_nothing_behind(client: stripe.StripeClient) -> None:
    for _ in range(2):
        with pytest.raises(stripe.InvalidRequestError, match="No such charge"):
            client.v1.refunds.create({"charge": "ch_x"}, {"idempotency_key": "k"})
    assert client.v1.events.list().data == []


def test_params_outside_the_contract_do_not_use_up_the_key(client: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="unknown parameter"):
        client.v1.checkout.sessions.create(kit(colour="red"), {"idempotency_key": "k"})
    assert client.v1.checkout.sessions.create(kit(), {"idempotency_key": "k"}).status == "open"
