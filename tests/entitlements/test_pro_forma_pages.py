"""Paying by bank transfer, as an owner, an engineer, an outsider and finance meet it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from entitlements.models import ProForma, Purchase
from entitlements.pro_forma import issue_pro_forma
from licensing.models import LicenceSignature, User
from tests.people import make_user, signed_in

pytestmark = pytest.mark.usefixtures("bank_account")


def pages(purchase: Purchase) -> tuple[str, str, str]:
    own = f"/account/purchases/{purchase.pk}/"
    return own, f"{own}pro-forma/", f"{own}pro-forma.pdf"


def test_the_buy_page_leads_to_an_invoice_with_its_order_number(
    owner: User, signature: LicenceSignature
) -> None:
    browser = signed_in(owner)
    path = f"/packages/{signature.package.slug}/buy/"
    assert "Pay by bank transfer instead" in browser.get(path).content.decode()
    order = {"signature": signature.pk, "purchase_order": "PO-5", "transfer": "1"}
    answer = browser.post(path, order, follow=True)
    paper = ProForma.objects.get()
    assert paper.purchase_order == "PO-5"
    for wanted in (paper.name, "GB33 BUKB 2020 1555 5555 55", "PO-5", "pro-forma.pdf"):
        assert wanted in answer.content.decode(), wanted


def test_the_purchase_page_issues_it_once(owner: User, pending: Purchase) -> None:
    browser = signed_in(owner)
    page, issue, paper = pages(pending)
    assert browser.get(paper).status_code == 404
    assert "Get a pro-forma invoice" in browser.get(page).content.decode()
    for order in ("PO-1", "PO-2"):
        answer = browser.post(issue, {"purchase_order": order}, follow=True)
    assert "was issued before with purchase order PO-1" in answer.content.decode()
    assert ProForma.objects.get().purchase_order == "PO-1"
    assert browser.get(paper).content.startswith(b"%PDF")


def test_an_engineer_sees_where_to_pay_and_has_no_invoice(
    team_mate: User, pending: Purchase
) -> None:
    browser = signed_in(team_mate)
    page, issue, paper = pages(pending)
    assert "Get a pro-forma" not in browser.get(page).content.decode()
    assert browser.post(issue).status_code == 403
    issue_pro_forma(purchase=pending)
    assert browser.get(paper).status_code == 403
    assert browser.get(f"/api/v1/purchases/{pending.pk}/pro-forma/").status_code == 403


def test_others_find_nothing_and_finance_finds_it(outsider: User, pending: Purchase) -> None:
    issue_pro_forma(purchase=pending)
    _, issue, paper = pages(pending)
    assert signed_in(outsider).get(paper).status_code == 404
    assert signed_in(outsider).post(issue).status_code == 404
    assert Client().get(paper).status_code == 302
    staff = make_user("fay@store.example", staff=True)
    assert signed_in(staff).get(paper).status_code == 404
    staff.user_permissions.add(Permission.objects.get(codename="view_payment"))
    assert signed_in(staff).get(paper).status_code == 200


def test_no_transfer_is_offered_without_an_account(
    owner: User, pending: Purchase, settings: Any
) -> None:
    settings.BANK_ACCOUNT = ""
    page, issue, _ = pages(pending)
    browser = signed_in(owner)
    assert "bank transfer" not in browser.get(page).content.decode()
    assert "takes no bank transfers" in browser.post(issue, follow=True).content.decode()


def test_programs_issue_and_read_it(owner: User, pending: Purchase) -> None:
    browser, path = signed_in(owner), f"/api/v1/purchases/{pending.pk}/pro-forma/"
    assert browser.get(path).status_code == 404
    order = {"purchase_order": "PO-7"}
    made = browser.post(path, order, content_type="application/json")
    assert made.status_code == 201
    assert browser.post(path, order, content_type="application/json").status_code == 200
    told = browser.get(path).json()
    assert told == made.json()
    assert told["amount_minor"] == pending.price_minor + 12 * pending.maintenance_minor
    assert told["pay_to"]["account"] == "GB33 BUKB 2020 1555 5555 55"
    assert told["billed_to"]["tax_number"] == "DE123456789"
    assert (told["purchase_order"], told["reference"]) == ("PO-7", ProForma.objects.get().name)
    long = browser.post(path, {"purchase_order": "9" * 81}, content_type="application/json")
    assert "purchase_order" in long.json()
