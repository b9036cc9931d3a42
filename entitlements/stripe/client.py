from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from stripe import StripeClient

PROVIDER = "stripe"


class StripeNotConfigured(Exception):
    """STRIPE_SECRET_KEY is not set."""


def client() -> StripeClient:
    """The official SDK's client, against STRIPE_API_BASE when it is set.

    Raises StripeNotConfigured.
    """
    if not settings.STRIPE_SECRET_KEY:
        raise StripeNotConfigured("STRIPE_SECRET_KEY: set it to take card payments.")
    return _client(settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE)


@lru_cache(maxsize=4)
def _client(key: str, base: str) -> StripeClient:
    # Imported at the first payment: the SDK takes a second to load, which no page should wait for.
    from stripe import StripeClient

    if base:
        return StripeClient(key, base_addresses={"api": base}, max_network_retries=2)
    return StripeClient(key, max_network_retries=2)
