"""`manage.py record_refund`: what was handed back at the provider, entered by people."""

from __future__ import annotations

import io
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from catalog.models import Kit
from entitlements.links import issue_link
from entitlements.models import Entitlement, Hold, Payment, Purchase
from licensing.models import User
from tests.people import signed_in


def refund(purchase: object, *more: str, reference: str = "re_1") -> str:
    """What the command prints."""
    out = io.StringIO()
    why = ("--reference", reference, "--reason", "The buyer's kit did not run.")
    call_command("record_refund", str(purchase), *why, *more, stdout=out)
    return out.getvalue()


def refunds() -> list[int]:
    rows = Payment.objects.filter(kind="refund").order_by("received_at")
    return list(rows.values_list("amount_minor", flat=True))


def test_a_part_is_entered_and_access_stays(bought: Purchase) -> None:
    said = refund(bought.pk, "--amount", "20000")
    assert said == "recorded -20000 USD: 230000 kept, access stays\n"
    row = Payment.objects.get(kind="refund")
    assert (row.provider, row.reference, row.amount_minor) == ("stripe", "re_1", -20_000)
    assert not Hold.objects.exists()


def test_the_ledger_says_why(bought: Purchase) -> None:
    refund(bought.pk, "--amount", "20000")
    row = Payment.objects.get(kind="refund")
    assert row.recorded_by == "command: record_refund: The buyer's kit did not run."


def test_without_an_amount_everything_is_entered_and_access_ends(bought: Purchase) -> None:
    said = refund(bought.pk)
    assert said == "recorded -250000 USD: 0 kept, access has ended\n"
    hold = Hold.objects.get()
    assert (hold.reason, hold.released_at) == ("refund", None)
    assert hold.note == "The buyer's kit did not run."


def test_parts_that_add_up_to_everything_end_access(bought: Purchase) -> None:
    refund(bought.pk, "--amount", "20000")
    said = refund(bought.pk, "--amount", "230000", reference="re_2")
    assert said.endswith("0 kept, access has ended\n")
    assert refunds() == [-20_000, -230_000]
    assert Hold.objects.count() == 1


def test_the_same_refund_again_changes_nothing(bought: Purchase) -> None:
    first = refund(bought.pk)
    assert refund(bought.pk) == first
    assert refunds() == [-250_000]


@pytest.mark.parametrize("amount", ["0", "-1", "250001", "9" * 30])
def test_more_than_is_there_is_refused_with_what_is(bought: Purchase, amount: str) -> None:
    with pytest.raises(
        CommandError, match="amount: between 1 and 250000 minor units of USD are left"
    ):
        refund(bought.pk, f"--amount={amount}")
    assert refunds() == []


def test_when_nothing_is_left_it_says_so(bought: Purchase) -> None:
    refund(bought.pk)
    with pytest.raises(CommandError, match="amount: nothing is left"):
        refund(bought.pk, reference="re_2")
    assert refunds() == [-250_000]


def test_an_unknown_purchase_is_named_with_where_to_look(db: None) -> None:
    unknown = uuid4()
    with pytest.raises(CommandError, match=f"no paid purchase has the id {unknown}.*/staff/"):
        refund(unknown)


def test_a_purchase_that_is_not_paid_has_nothing_to_refund(pending: Purchase) -> None:
    with pytest.raises(CommandError, match="no paid purchase has the id"):
        refund(pending.pk)


def test_an_id_that_is_none_is_refused(db: None) -> None:
    with pytest.raises(CommandError, match="purchase: invalid UUID value: 'x'"):
        refund("x")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("reference", ""),
        ("reference", "r" * 121),
        ("provider", ""),
        ("provider", "p" * 21),
        ("reason", ""),
        ("reason", "w" * 161),
    ],
)
def test_a_name_that_the_ledger_cannot_hold_is_refused(
    bought: Purchase, field: str, value: str
) -> None:
    with pytest.raises(CommandError, match=f"^{field}: "):
        refund(bought.pk, f"--{field}={value}")
    assert refunds() == []


def test_a_reference_that_is_the_payments_own_is_refused(bought: Purchase) -> None:
    charge = Payment.objects.get()
    with pytest.raises(CommandError, match=r"reference: in_\w+ is a charge of"):
        refund(bought.pk, reference=charge.reference)
    assert refunds() == []


def test_a_reference_that_was_entered_with_another_amount_is_refused(bought: Purchase) -> None:
    refund(bought.pk, "--amount", "20000")
    with pytest.raises(CommandError, match="reference: re_1 is a refund of -20000 USD"):
        refund(bought.pk, "--amount", "30000")
    assert refunds() == [-20_000]


def test_after_a_full_refund_every_surface_is_closed(
    bought: Purchase, owner: User, client: Client
) -> None:
    entitlement = Entitlement.objects.get()
    token = issue_link(entitlement=entitlement, version=bought.version, member=owner)
    refund(bought.pk)
    assert client.get(f"/download/{token}").status_code == 403
    browser = signed_in(owner)
    page = browser.get(bought.get_absolute_url())
    assert "Access is closed: refunded." in page.text
    path = f"{bought.get_absolute_url()}{bought.version.version}/link/"
    answer: Any = browser.post(path)
    assert answer.status_code == 403
    assert "/download/" not in answer.text


def test_after_a_part_links_still_open(bought: Purchase, owner: User, client: Client) -> None:
    entitlement = Entitlement.objects.get()
    token = issue_link(entitlement=entitlement, version=bought.version, member=owner)
    refund(bought.pk, "--amount", "249999")
    response: Any = client.get(f"/download/{token}")
    assert response.status_code == 200
    assert sum(map(len, response.streaming_content)) == Kit.objects.get().size
