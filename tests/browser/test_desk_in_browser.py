"""The desk for finance at four widths, in light and dark, and without a script."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from entitlements.desk.views import LISTS
from entitlements.disputes import track_dispute
from entitlements.models import Hold, Outbox, Payment, ProviderEvent, Purchase
from entitlements.transfers import asked_of
from licensing.models import User
from tests.browser.conftest import Watched
from tests.browser.test_pages_in_browser import look_at
from tests.desk import HOME, do
from tests.money import dispute_of
from tests.transfers import short

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("bank_account")]


@pytest.fixture
def full(bought: Purchase, clerk: User) -> Purchase:
    """A shop in which every list of the desk has a row."""
    track_dispute(**dispute_of(bought.entitlement.payment))
    short(bought, clerk, reference="A-REFERENCE-AS-LONG-AS-A-BANK-MAKES-THEM-00000001", amount=100)
    ProviderEvent.objects.create(
        provider="stripe",
        event_id="evt_1QabcdefghijklmnopqrstuvwxABCDEF",
        kind="checkout.session.async_payment_succeeded",
        payload={},
        outcome="waiting",
        note="no purchase 00000000-0000-0000-0000-000000000000",
    )
    Outbox.objects.create(
        kind="refund", attempts=10, last_error="StripeError: " + "x" * 200, payload={"refund": "1"}
    )
    return bought


def test_the_desk_scrolls_down_only_and_complains_of_nothing(
    opened: Callable[..., Watched], finance: User, full: Purchase
) -> None:
    pages = [HOME, f"{HOME}differences/", *(f"{HOME}{name}/" for name in LISTS)]
    pages += [do("record-transfer"), do("apply-held"), do("release-hold", Hold.objects.get().pk)]
    pages += [do("refund", full.entitlement.payment_id), do("place-hold", full.pk)]
    assert look_at(opened(finance), pages) == []


def test_a_transfer_is_recorded_without_a_script(
    opened: Callable[..., Watched], finance: User, pending: Purchase
) -> None:
    page = opened(finance, java_script_enabled=False).page
    page.goto(f"{HOME}purchases/")
    page.get_by_role("link", name="Record transfer").click()
    asked = asked_of(pending)
    page.get_by_label("Amount that arrived").fill(f"{asked // 100}.{asked % 100:02}")
    page.get_by_label("The bank's reference").fill("BANK-1")
    page.get_by_label("Why").fill("on the statement")
    page.get_by_role("button", name="See what will happen").click()
    page.get_by_text("opens to every member of Meridian Labs GmbH").wait_for()
    page.get_by_role("button", name="Record the transfer").click()
    page.get_by_text("Transfer BANK-1 is entered").wait_for()
    assert Payment.objects.get().amount_minor == asked
