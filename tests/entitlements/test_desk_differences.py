"""The desk's page of differences: our own at once, Stripe's when somebody asks, and none mended."""

from __future__ import annotations

from typing import Any

from django.test import Client

from entitlements.models import Outbox, Payment, Purchase
from entitlements.stripe.checkout import start_checkout
from licensing.models import User
from tests.desk import HOME, text_of
from tests.provider import Provider
from tests.transfers import short

PAGE = f"{HOME}differences/"


def test_a_quiet_shop_has_none(desk: Client, bought: Purchase) -> None:
    assert "Nothing is held, waits or failed." in text_of(desk.get(PAGE))


def test_held_money_and_dead_letters_are_there_with_a_way_out(
    desk: Client, pending: Purchase, clerk: User
) -> None:
    short(pending, clerk, reference="BANK-A", amount=5)
    Outbox.objects.create(kind="refund", attempts=10, last_error="no such key")
    said = text_of(desk.get(PAGE))
    for wanted in ("BANK-A", "Apply it or send it back", "no such key", "try it again"):
        assert wanted in said, wanted
    assert "<strong>2</strong> Differences" in text_of(desk.get(HOME))


def test_a_payment_that_no_event_brought_shows_when_stripe_is_asked(
    desk: Client, provider: Provider, pending: Purchase
) -> None:
    assert provider.pay(start_checkout(pending)) == 303
    assert "Nothing is held" in text_of(desk.get(PAGE))
    answer = desk.get(PAGE, {"compare": "1"})
    assert "nothing was repaired here" in text_of(answer)
    assert "The worker repairs it by itself." in text_of(answer)
    assert not Payment.objects.exists()


def test_a_silent_stripe_is_said(desk: Client, bought: Purchase, settings: Any) -> None:
    settings.STRIPE_SECRET_KEY = ""
    assert "has no Stripe to compare with" in text_of(desk.get(PAGE, {"compare": "1"}))
    settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = "sk_test_1", "http://127.0.0.1:9"
    assert "Stripe does not answer" in text_of(desk.get(PAGE, {"compare": "1"}))
