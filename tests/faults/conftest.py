"""A shop whose provider listens, for operations that are disturbed."""

from __future__ import annotations

import pytest

from entitlements.models import Purchase
from licensing.models import User
from tests.courier import Courier
from tests.entitlements.conftest import courier, provider, webhook_secret
from tests.faults.cases import Shop
from tests.provider import Provider

__all__ = ["courier", "provider", "webhook_secret"]


@pytest.fixture
def shop(provider: Provider, courier: Courier, pending: Purchase, owner: User) -> Shop:
    """A pending purchase and everybody who brings it further."""
    return Shop(provider=provider, courier=courier, purchase=pending, buyer=owner)
