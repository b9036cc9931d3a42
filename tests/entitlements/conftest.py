"""A payment provider that listens, and a store that is set to use it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from entitlements.models import Purchase
from entitlements.outbox import run_due
from entitlements.stripe.checkout import start_checkout
from tests.courier import Courier
from tests.provider import Provider
from tests.sandbox.conftest import API_KEY, WEBHOOK_SECRET, running


@pytest.fixture
def webhook_secret(settings: Any) -> str:
    """The store knows the secret that its events are signed with."""
    settings.STRIPE_WEBHOOK_SECRET = WEBHOOK_SECRET
    return WEBHOOK_SECRET


@pytest.fixture
def provider(
    tmp_path_factory: pytest.TempPathFactory, settings: Any, webhook_secret: str
) -> Iterator[Provider]:
    """The sandbox, over HTTP, as the store's payment provider."""
    nowhere = "http://127.0.0.1:9/webhooks/stripe/"
    # Not where static files are looked for: its files come and go while it works.
    with running(tmp_path_factory.mktemp("sandbox") / "sandbox.sqlite3", nowhere) as server:
        settings.STRIPE_SECRET_KEY = API_KEY
        settings.STRIPE_API_BASE = server.settings.base_url
        yield Provider(server)


@pytest.fixture
def courier(provider: Provider) -> Courier:
    """Who takes the sandbox's events to the store."""
    return Courier(provider)


@pytest.fixture
def paid(provider: Provider, courier: Courier, pending: Purchase) -> Purchase:
    """A purchase that was paid at the sandbox, with every event delivered and the mail sent."""
    assert provider.pay(start_checkout(pending)) == 303
    courier.deliver()
    run_due()
    pending.refresh_from_db()
    return pending
