"""The staff's site shows everything but what is withheld, and changes nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape

import pytest
from django.contrib import admin
from django.db import connection, models
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from touchstone.root import fingerprint, grouped

from catalog.models import PackageVersion, Withheld
from entitlements.completion import complete_purchase
from entitlements.inbox import receive_event
from entitlements.links import issue_link
from entitlements.models import Entitlement, Hold, Outbox, Purchase
from entitlements.purchasing import open_purchase
from licensing.models import LicenceTerms, LicensedEntity, User
from receipts.models import Receipt, SignedKeys
from tests.evidence import sign_with_a_root
from tests.people import make_user, signed_in
from tests.shop import SAMPLE, payment_for, sign

ROOMS = {"catalog", "entitlements", "licensing", "receipts"}
OURS = sorted(
    (model for model in admin.site._registry if model._meta.app_label in ROOMS),
    key=lambda model: model._meta.label,
)
NAMES = [model._meta.label_lower for model in OURS]


def address(model: type[models.Model], page: str, *arguments: object) -> str:
    """The path of a page of the staff's site."""
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{page}", args=arguments)


@pytest.fixture
def staff(db: None) -> Client:
    """A browser in which staff with every right is signed in."""
    user = make_user("sam@store.example", staff=True)
    user.is_superuser = True
    user.save()
    return signed_in(user)


@pytest.fixture
def busy(bought: Purchase, owner: User) -> Purchase:
    """A shop in which every table has a row."""
    add_rows(bought, owner, number=1)
    sign_with_a_root()
    return bought


def add_rows(purchase: Purchase, user: User, *, number: int) -> None:
    """A download, a hold, and an event of a purchase."""
    issue_link(entitlement=purchase.entitlement, version=purchase.version, member=user)
    Hold.objects.create(entitlement=purchase.entitlement, reason=Hold.Reason.DISPUTE)
    event = {"data": {"object": {}}, "id": f"evt_{number}"}
    receive_event(
        provider="stripe", event_id=f"evt_{number}", kind="price.updated", subject={}, payload=event
    )


def pages_of(model: type[models.Model]) -> Iterator[str]:
    yield address(model, "changelist")
    for row in model._default_manager.all():
        yield address(model, "change", row.pk)


@pytest.mark.parametrize("model", OURS, ids=NAMES)
def test_staff_opens_every_list_and_every_row(
    busy: Purchase, staff: Client, model: type[models.Model]
) -> None:
    pages = list(pages_of(model))
    assert len(pages) > 1
    for page in pages:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert staff.get(page).status_code == 200
        assert len(queries) <= 15


def test_no_list_asks_more_queries_when_it_has_more_rows(
    busy: Purchase,
    staff: Client,
    owner: User,
    published: PackageVersion,
    entity: LicensedEntity,
    terms: LicenceTerms,
) -> None:
    few = _queries_of_lists(staff)
    signature = sign(account=owner, version=published, entity=entity, terms=terms)
    second = open_purchase(signature=signature, buyer=owner)
    complete_purchase(purchase=second, payment=payment_for(second))
    add_rows(second, owner, number=2)
    assert _queries_of_lists(staff) == few


def _queries_of_lists(staff: Client) -> dict[str, int]:
    counted = {}
    for model in OURS:
        with CaptureQueriesContext(connection) as queries:
            staff.get(address(model, "changelist"))
        counted[model._meta.label] = len(queries)
    return counted


def test_no_page_tells_what_is_withheld(busy: Purchase, staff: Client) -> None:
    secrets = [
        line
        for file in (SAMPLE / "withheld").iterdir()
        for line in file.read_text().splitlines()
        if len(line) > 20
    ]
    salts = [bytes(each.salt).hex() for each in Withheld.objects.all()]
    revealing = Receipt.objects.get(kind=Receipt.Kind.BUYER)
    payload = json.loads(bytes(revealing.envelope))["payload"]
    shown = unescape("".join(staff.get(page).text for model in OURS for page in pages_of(model)))
    assert secrets
    assert salts
    assert [each for each in (*secrets, *salts, payload) if each in shown] == []


def test_what_is_withheld_has_no_page() -> None:
    assert Withheld not in admin.site._registry


@pytest.mark.parametrize("model", OURS, ids=NAMES)
def test_not_even_staff_changes_a_row(
    busy: Purchase, staff: Client, model: type[models.Model]
) -> None:
    row = model._default_manager.all()[0]
    before = model._default_manager.filter(pk=row.pk).values().get()
    assert staff.post(address(model, "change", row.pk), {"note": "x"}).status_code == 403
    assert staff.post(address(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    assert staff.post(address(model, "add"), {}).status_code == 403
    assert model._default_manager.filter(pk=row.pk).values().get() == before


def test_a_buyer_is_refused(busy: Purchase, owner: User) -> None:
    client = signed_in(owner)
    pages = [reverse("admin:index"), *(address(model, "changelist") for model in OURS)]
    assert {client.get(page, follow=True).status_code for page in pages} == {403}


def test_staff_without_rights_sees_no_list(db: None) -> None:
    client = signed_in(make_user("new@store.example", staff=True))
    assert {client.get(address(model, "changelist")).status_code for model in OURS} == {403}


def test_a_stranger_is_sent_to_the_stores_own_sign_in(db: None, client: Client) -> None:
    answer = client.get(address(Purchase, "changelist"), follow=True)
    assert answer.redirect_chain[-1][0].startswith("/accounts/login/?next=%2Fstaff%2F")


def test_staff_signs_in_and_arrives(db: None, client: Client) -> None:
    make_user("new@store.example", staff=True)
    form = {"login": "new@store.example", "password": "a long pass phrase", "next": "/staff/"}
    answer = client.post("/accounts/login/", form, follow=True)
    assert "Touchstone staff" in answer.text
    assert answer.request["PATH_INFO"] == "/staff/"


def test_a_log_that_names_an_account_that_is_gone_still_shows(
    busy: Purchase, staff: Client, owner: User
) -> None:
    owner.delete()
    assert "issued" in staff.get(reverse("admin:entitlements_download_changelist")).text


def test_staff_pages_carry_no_script_or_style_that_the_policy_blocks(
    busy: Purchase, staff: Client
) -> None:
    for model in OURS:
        for page in pages_of(model):
            answer = staff.get(page)
            assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
            assert re.findall(r"<script(?![^>]*\bsrc=)[^>]*>|\son\w+=|<style", answer.text) == []


def test_an_entitlement_shows_the_newer_terms_that_were_signed_for_it(
    whole_evidence: Purchase, staff: Client
) -> None:
    newer = whole_evidence.entitlement.additional_signatures.get()
    page = staff.get(address(Entitlement, "change", whole_evidence.entitlement.pk)).text
    assert str(newer.signature) in page
    assert str(newer.signature.terms) in page


def test_what_the_root_signed_shows_its_fingerprint(evidence: Purchase, staff: Client) -> None:
    signed = SignedKeys.objects.get()
    page = staff.get(address(SignedKeys, "change", signed.pk)).text
    assert grouped(fingerprint(signed.root)) in page


def test_the_outbox_shows_what_waits(busy: Purchase, staff: Client) -> None:
    assert Outbox.objects.get().kind in staff.get(address(Outbox, "changelist")).text
