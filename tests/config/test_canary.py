"""Nothing that a version withholds is told to whoever did not buy it, anywhere."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import Permission
from django.core import mail
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from catalog.models import PackageVersion
from entitlements.inbox import receive_event
from entitlements.links import issue_link, redeem
from entitlements.models import Hold, Outbox, Purchase
from entitlements.outbox import run_due
from entitlements.purchasing import open_purchase
from licensing.models import LicenceTerms, LicensedEntity, User
from receipts.keys import create_key
from tests.catalog.importing import put
from tests.catalog.importing import result as measured_by
from tests.config.access import path_of, routes
from tests.config.canaries import FILES, canaries, leaks, plant
from tests.config.crawling import Crawl
from tests.config.test_access_staff import MODELS, values_for
from tests.evidence import sign_with_a_root
from tests.people import make_user, signed_in
from tests.shop import revoke, sign

PEOPLE = ("stranger", "outsider", "window_shopper", "reader_on_staff", "staff")
FINANCE = {"reader_on_staff", "staff"}
Wanted = dict[str, set[bytes]]


@pytest.fixture
def published(keys: None, package_folder: Path, caplog: pytest.LogCaptureFixture) -> PackageVersion:
    """A version on sale that withholds canaries, and shows a raw file."""
    caplog.set_level(logging.DEBUG)
    plant(package_folder)
    put(package_folder, measured_by("vllm-full"))
    said = io.StringIO()
    call_command("publish", str(package_folder), stdout=said, stderr=said)
    version = PackageVersion.objects.get()
    assert leaks(said.getvalue().encode(), canaries(version)) == []
    return version


@pytest.fixture
def wanted(published: PackageVersion) -> Wanted:
    return canaries(published)


@pytest.fixture
def stranger() -> None:
    """Nobody is signed in."""


@pytest.fixture
def window_shopper(published: PackageVersion, terms: LicenceTerms) -> User:
    """Who signed and did not pay."""
    user = make_user("wil@window.example", name="Wil Shaw")
    other = LicensedEntity.objects.create(legal_name="Window Ltd", country="GB", address="Row 1")
    other.members.create(user=user, role="owner")
    signed = sign(account=user, version=published, entity=other, terms=terms)
    open_purchase(signature=signed, buyer=user)
    return user


@pytest.fixture
def reader_on_staff(db: None) -> User:
    """Staff who may look at every table and change none."""
    user = make_user("rita@store.example", staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    return user


@pytest.fixture
def staff(db: None) -> User:
    """Staff with every right."""
    user = make_user("sam@store.example", staff=True)
    user.is_superuser = True
    user.save()
    return user


@pytest.fixture
def seeds(bought: Purchase, owner: User, addresses: dict[str, str]) -> list[str]:
    """Every address of the project, in a shop in which every table has a row.

    The version was signed anew, so the purchase has two buyer receipts; work failed in between.
    """
    redeem(token=addresses["download/<str:token>"].rpartition("/")[2]).file.close()
    with patch("entitlements.buyer_receipts.sign_receipt", side_effect=OSError("no key file")):
        revoke("benchmark")
        create_key(purpose="benchmark")
        call_command("reissue_receipt", "kimi-k3-8xb300", "1.0.0", stdout=io.StringIO())
        run_due()
    assert Outbox.objects.filter(last_error__contains="no key file").exists()
    Outbox.objects.update(due_at=bought.created_at)
    run_due()
    hold = Hold.objects.create(entitlement=bought.entitlement, reason=Hold.Reason.DISPUTE)
    Hold.objects.filter(pk=hold.pk).update(released_at=bought.created_at)
    receive_event(provider="stripe", event_id="evt_1", kind="x.y", subject={}, payload={"id": "1"})
    sign_with_a_root()
    return [*addresses.values(), *_of_the_desk()]


def _of_the_desk() -> Iterator[str]:
    for route in routes():
        if route.startswith("staff/"):
            model = next((each for each in MODELS if route.startswith(f"staff/{each}")), "")
            if model != "auth/group/":  # there is none
                yield path_of(route, values_for(model))
    for model in MODELS:
        yield f"/staff/{model}?q=canary"


@pytest.mark.parametrize("person", PEOPLE)
def test_who_did_not_buy_is_told_nothing_that_is_withheld(
    person: str,
    seeds: list[str],
    wanted: Wanted,
    request: pytest.FixtureRequest,
    caplog: pytest.LogCaptureFixture,
) -> None:
    crawl = Crawl(request.getfixturevalue(person), seeds=seeds)
    told = crawl.leaks(wanted)
    if person in FINANCE:
        # Who may read payments takes the evidence of any purchase, which holds it.
        told = {
            request: names for request, names in told.items() if "/evidence.tar.gz" not in request
        }
    assert told == {}
    assert leaks(caplog.text.encode(), wanted) == []
    assert {200, 302, 400, 403, 404, 405} <= crawl.statuses
    assert 500 not in crawl.statuses
    for part in ("raw/", "receipt.pdf", "receipt.sigstore.json", "card.json", "/staff/receipts/"):
        assert any(part in path for path in crawl.answers), part


def test_the_owner_finds_it_in_buyer_receipt_and_evidence_alone(
    seeds: list[str], wanted: Wanted, owner: User, bought: Purchase
) -> None:
    crawl = Crawl(owner, seeds=seeds)
    receipt = f"/account/purchases/{bought.pk}/1.0.0/buyer-receipt.json"
    revealed = {name for name in wanted if name.split()[0] not in ("paths", "digest")}
    bundle = f"/account/purchases/{bought.pk}/evidence.tar.gz"
    told = {f"{way} {path}" for way in ("GET", "GET as data") for path in (receipt, bundle)}
    assert crawl.leaks(wanted) == dict.fromkeys(told, revealed)


# What the agreement holds of persons and of the entity that it binds.
PERSONAL: Wanted = {
    # A sheet's text is searched without its spaces.
    text: {text.encode(), text.replace(" ", "").encode()}
    for text in (
        "Ada Okafor",
        "ada@meridian.example",
        "203.0.113.9",
        "Meridian Labs",
        "HRB 12345",
        "Hauptstrasse 1",
        "DE123456789",
    )
}


@pytest.mark.parametrize("person", ["stranger", "window_shopper"])
def test_nobody_else_is_told_who_agreed(
    person: str, seeds: list[str], request: pytest.FixtureRequest
) -> None:
    crawl = Crawl(request.getfixturevalue(person), seeds=seeds)
    assert crawl.leaks(PERSONAL) == {}
    assert {200, 404} <= crawl.statuses


def test_an_owner_finds_all_of_it(seeds: list[str], owner: User) -> None:
    told = Crawl(owner, seeds=seeds).leaks(PERSONAL)
    assert set().union(*told.values()) == set(PERSONAL)


def test_no_mail_tells_it(seeds: list[str], wanted: Wanted) -> None:
    assert {to for message in mail.outbox for to in message.to} == {"ada@meridian.example"}
    for message in mail.outbox:
        assert leaks(message.message().as_bytes(), wanted) == []


def test_no_file_of_the_store_holds_it(
    seeds: list[str], wanted: Wanted, tmp_path: Path, package_folder: Path
) -> None:
    """Not in a stored kit either, which its link opens for whoever has it."""
    kept = [
        file
        for file in tmp_path.rglob("*")
        if file.is_file() and not file.is_relative_to(package_folder)
    ]
    assert any(file.is_relative_to(tmp_path / "kits") for file in kept)
    assert [file.name for file in kept if leaks(file.read_bytes(), wanted)] == []


def test_an_answer_that_fails_tells_nothing(
    seeds: list[str],
    wanted: Wanted,
    owner: User,
    bought: Purchase,
    caplog: pytest.LogCaptureFixture,
    settings: Any,
) -> None:
    """What is withheld lies in the very frames that the log's traceback goes through."""
    settings.ADMINS = [("Ops", "ops@store.example")]
    client = signed_in(owner)
    client.raise_request_exception = False
    with patch("entitlements.views.account.HttpResponse", side_effect=RuntimeError("broken")):
        answer = client.get(f"/account/purchases/{bought.pk}/1.0.0/buyer-receipt.json")
    assert answer.status_code == 500
    assert "RuntimeError: broken" in caplog.text
    mails = b"".join(message.message().as_bytes() for message in mail.outbox)
    assert leaks(answer.content + caplog.text.encode() + mails, wanted) == []


def test_a_link_that_is_over_tells_nothing(
    bought: Purchase, wanted: Wanted, owner: User, settings: Any
) -> None:
    token = issue_link(entitlement=bought.entitlement, version=bought.version, member=owner)
    settings.DOWNLOAD_LINK_SECONDS = -1
    answer = Client().get(f"/download/{token}")
    assert answer.status_code == 410
    assert leaks(answer.content, wanted) == []


def test_what_is_refused_at_publishing_is_named_and_not_quoted(
    published: PackageVersion, wanted: Wanted, package_folder: Path
) -> None:
    story = package_folder / "story.md"
    story.write_text(story.read_text() + "".join(FILES.values()))
    with pytest.raises(CommandError) as refused:
        call_command("publish", str(package_folder))
    assert "story.md: holds the content of runtime_build_record" in str(refused.value)
    assert leaks(str(refused.value).encode(), wanted) == []
