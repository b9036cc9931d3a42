"""Pro-forma invoices: issued once, for what was agreed, with all that an accounts office needs."""

from __future__ import annotations

import io
from typing import Any

import pypdf
import pytest
from django.db import IntegrityError, connection, transaction

from entitlements.models import ProForma, Purchase
from entitlements.pro_forma import ProFormaRefused, issue_pro_forma
from entitlements.pro_forma_paper import pro_forma_pdf, written
from tests.shop import revoke
from tests.threads import at_once

pytestmark = pytest.mark.usefixtures("bank_account")


def words_of(paper: ProForma) -> str:
    pages = pypdf.PdfReader(io.BytesIO(pro_forma_pdf(paper))).pages
    assert len(pages) == 1
    return " ".join(pages[0].extract_text().split())


def test_it_asks_for_the_price_and_twelve_months(pending: Purchase) -> None:
    paper = issue_pro_forma(purchase=pending)
    assert paper.amount_minor == pending.price_minor + 12 * pending.maintenance_minor
    assert (paper.months, paper.currency) == (12, pending.currency)


def test_the_paper_says_all_that_an_accounts_office_asks(pending: Purchase) -> None:
    paper = issue_pro_forma(purchase=pending, purchase_order="PO-2026/17")
    said = words_of(paper)
    for wanted in (
        paper.name,
        "PO-2026/17",
        "Seller Ltd",
        "GB999999973",
        "GB33 BUKB 2020 1555 5555 55",
        "Meridian Labs GmbH",
        "Hauptstrasse 1",
        "10115 Berlin",
        "Germany",
        "HRB 12345",
        "DE123456789",
        f"kimi-k3-8xb300 {pending.version.version}",
        written(pending.price_minor),
        "12 months",
        written(12 * pending.maintenance_minor),
        written(paper.amount_minor),
        f"{paper.issued_at:%Y-%m-%d}",
    ):
        assert wanted in said, wanted
    assert pending.signature.terms_sha256 in said.replace(" ", "")


def test_it_is_issued_once_and_keeps_what_it_said(pending: Purchase) -> None:
    first = issue_pro_forma(purchase=pending, purchase_order="PO-1")
    before = pro_forma_pdf(first)
    pending.entity.legal_name = "Renamed AG"
    pending.entity.save()
    again = issue_pro_forma(purchase=pending, purchase_order="PO-2")
    assert (again.pk, again.purchase_order) == (first.pk, "PO-1")
    assert pro_forma_pdf(ProForma.objects.get(pk=first.pk)) == before


def test_the_purchase_order_of_the_buy_page_is_on_it(pending: Purchase) -> None:
    Purchase.objects.filter(pk=pending.pk).update(purchase_order="PO-9")
    assert issue_pro_forma(purchase=pending).purchase_order == "PO-9"


def test_what_is_paid_has_none(bought: Purchase) -> None:
    with pytest.raises(ProFormaRefused, match="is paid"):
        issue_pro_forma(purchase=bought)


def test_a_version_whose_key_was_revoked_is_not_invoiced(pending: Purchase) -> None:
    revoke("benchmark")
    with pytest.raises(ProFormaRefused, match="revoked"):
        issue_pro_forma(purchase=pending)
    assert not ProForma.objects.exists()


def test_a_store_without_an_account_takes_no_transfers(pending: Purchase, settings: Any) -> None:
    settings.BANK_ACCOUNT = ""
    with pytest.raises(ProFormaRefused, match="no bank transfers"):
        issue_pro_forma(purchase=pending)


def test_postgres_keeps_it_as_it_was_issued(pending: Purchase) -> None:
    issue_pro_forma(purchase=pending)
    with pytest.raises(Exception, match="permission denied"), transaction.atomic():
        ProForma.objects.update(amount_minor=1)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO entitlements_proforma (purchase_id, months, amount_minor, currency,"
            " purchase_order, billed_to) VALUES (%s, 12, 1, 'USD', '', '{}')",
            [pending.pk],
        )


@pytest.mark.django_db(transaction=True)
def test_two_members_who_ask_at_once_get_one_paper(pending: Purchase) -> None:
    ask = [lambda: issue_pro_forma(purchase=pending)] * 4
    assert at_once(*ask) == []
    assert ProForma.objects.count() == 1
