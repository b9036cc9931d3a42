"""The mail after a purchase: to the buyer, with the way to the kit and nothing that opens it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core import mail

from entitlements.models import Outbox, Purchase
from entitlements.outbox import run_due
from licensing.models import User
from tests.people import signed_in


@pytest.fixture
def letter(bought: Purchase) -> mail.EmailMessage:
    """The mail that the purchase brought."""
    run_due()
    (sent,) = mail.outbox
    return sent


def test_it_is_from_the_store_to_the_buyer(letter: mail.EmailMessage, settings: Any) -> None:
    assert letter.subject == "Your kit kimi-k3-8xb300-1.0.0.tar.gz is ready"
    assert letter.from_email == settings.DEFAULT_FROM_EMAIL
    assert letter.recipients() == ["ada@meridian.example"]


def test_its_address_leads_the_buyer_to_the_purchase(
    letter: mail.EmailMessage, bought: Purchase, owner: User, settings: Any
) -> None:
    (address,) = [line for line in letter.body.splitlines() if line.startswith("http")]
    assert address == settings.SITE_URL + bought.get_absolute_url()
    assert signed_in(owner).get(urlsplit(address).path).status_code == 200


def test_it_names_entity_and_kit_as_they_are_written(bought: Purchase) -> None:
    bought.entity.legal_name = "Müller & Söhne <GmbH>"
    bought.entity.save()
    run_due()
    assert "Your payment for Müller & Söhne <GmbH> arrived" in mail.outbox[0].body
    assert bought.version.kit_name in mail.outbox[0].body


def test_it_carries_no_key_to_anything(letter: mail.EmailMessage, bought: Purchase) -> None:
    receipt = bought.entitlement.buyer_receipts.get().receipt
    words = ["/download/", "sk_", "whsec_", "cs_", bytes(receipt.envelope).decode()[:40]]
    words += [bytes(each.content).decode()[:20] for each in bought.version.withheld.all()]
    assert [word for word in words if word in letter.body] == []
    assert letter.attachments == []


def test_an_account_that_is_gone_gets_no_mail_and_leaves_no_work(
    bought: Purchase, owner: User
) -> None:
    Purchase.objects.update(buyer=None)
    assert run_due() == 1
    assert mail.outbox == []
    assert Outbox.objects.get().done_at is not None


def test_a_mail_server_that_is_down_is_tried_again(bought: Purchase, settings: Any) -> None:
    there, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, "nowhere.Backend"
    run_due()
    row = Outbox.objects.get()
    assert (row.attempts, row.done_at) == (1, None)
    settings.EMAIL_BACKEND = there
    Outbox.objects.update(due_at=row.created_at)
    run_due()
    assert len(mail.outbox) == 1
