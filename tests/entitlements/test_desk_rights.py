"""Who sees money and who moves it: every right alone, every action, and how little is asked."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from entitlements.desk.views import LISTS, PAGES
from entitlements.models import DeskAction, Hold, Payment, Purchase
from licensing.models import User
from tests.desk import HOME, do, text_of, with_rights
from tests.people import make_user, signed_in
from tests.transfers import short

PLACES = [HOME, f"{HOME}differences/", *(f"{HOME}{name}/" for name in LISTS), do("record-transfer")]


@pytest.mark.parametrize("path", PLACES)
def test_finance_alone_sees_money(desk: Client, owner: User, path: str) -> None:
    assert desk.get(path).status_code == 200
    publisher = with_rights("pub@store.example", "add_packageversion", "add_licenceterms")
    assert signed_in(publisher).get(path).status_code == 403
    assert signed_in(make_user("new@store.example", staff=True)).get(path).status_code == 403
    for nobody in (signed_in(owner), Client()):
        answer: Any = nobody.get(path)
        assert answer.headers["Location"].startswith("/staff/login/")


@pytest.mark.parametrize("path", ["/staff/import/", "/staff/terms/"])
def test_finance_cannot_publish(desk: Client, path: str) -> None:
    assert desk.get(path).status_code == 403
    assert desk.post(path).status_code == 403


def test_who_may_look_alone_does_nothing(bought: Purchase, clerk: User) -> None:
    looker = signed_in(with_rights("look@store.example", "view_payment"))
    held = short(bought, clerk, reference="BANK-A", amount=5)
    hold = Hold.objects.create(entitlement=bought.entitlement, reason="breach")
    rows = {
        "record-transfer": "new",
        "apply-held": "new",
        "return-held": held.pk,
        "refund": bought.entitlement.payment_id,
        "place-hold": bought.pk,
        "release-hold": hold.pk,
    }
    for action, pk in rows.items():
        for answer in (looker.get(do(action, pk)), looker.post(do(action, pk), {"why": "because"})):
            assert answer.status_code == 403, action
    assert DeskAction.objects.count() == 1
    assert "Refund</a>" not in text_of(looker.get(f"{HOME}payments/"))


@pytest.mark.parametrize("right", sorted({page.right for page in PAGES.values()}))
def test_a_right_opens_its_own_actions_alone(bought: Purchase, right: str) -> None:
    browser = signed_in(with_rights("one@store.example", "view_payment", right))
    hold = Hold.objects.create(entitlement=bought.entitlement, reason="breach")
    rows: dict[str, object] = {
        "record-transfer": "new",
        "apply-held": "new",
        "refund": bought.entitlement.payment_id,
        "place-hold": bought.pk,
        "release-hold": hold.pk,
    }
    for action, pk in rows.items():
        allowed = PAGES[action].right == right
        assert browser.get(do(action, pk)).status_code == (200 if allowed else 403), action


def test_a_right_without_the_right_to_look_opens_nothing(bought: Purchase) -> None:
    browser = signed_in(with_rights("blind@store.example", "refund"))
    wish = {"amount": "", "once": str(uuid4()), "confirmed": "1", "why": "because"}
    assert browser.post(do("refund", bought.entitlement.payment_id), wish).status_code == 403


def test_a_forged_form_of_another_site_does_nothing(finance: User, bought: Purchase) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(finance)
    assert browser.post(do("place-hold", bought.pk), {"why": "because"}).status_code == 403
    assert not Hold.objects.exists()


@pytest.mark.parametrize("path", [HOME, f"{HOME}differences/", *(f"{HOME}{n}/" for n in LISTS)])
def test_more_rows_ask_postgres_no_more(
    desk: Client, bought: Purchase, clerk: User, path: str, django_assert_max_num_queries: Any
) -> None:
    for each in range(12):
        short(bought, clerk, reference=f"BANK-{each}", amount=5)
    with django_assert_max_num_queries(18 if path == HOME else 9):
        desk.get(path, {"q": "Meridian"})


def test_a_row_leads_to_its_actions_by_links(desk: Client, bought: Purchase) -> None:
    charge = Payment.objects.get()
    said = text_of(desk.get(f"{HOME}payments/", {"q": charge.reference}))
    assert f'href="{do("refund", charge.pk)}"' in said
    assert f"?purchase={bought.pk}" in text_of(desk.get(f"{HOME}purchases/"))
    filled = text_of(desk.get(do("record-transfer"), {"purchase": str(bought.pk)}))
    assert f'value="{bought.pk}"' in filled
    assert not LogEntry.objects.exists()
