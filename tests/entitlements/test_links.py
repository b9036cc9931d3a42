"""Links that must not open, and what their bearer is told: on a page, and in a terminal."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from catalog.models import Kit, PackageVersion
from catalog.publishing import publish_version
from entitlements.links import SALT, LinkRefused, issue_link, redeem
from entitlements.models import Download, Hold, Purchase
from entitlements.refunds import record_refund
from licensing.models import User
from receipts.models import SigningKey
from tests.catalog.reading import shown
from tests.people import signed_in

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def token(bought: Purchase, owner: User) -> str:
    """A fresh link's token."""
    return issue_link(entitlement=bought.entitlement, version=bought.version, member=owner)


def refused(token: str) -> LinkRefused:
    with pytest.raises(LinkRefused) as refusal:
        redeem(token=token)
    return refusal.value


def test_no_letter_of_a_token_may_change(token: str) -> None:
    for place, letter in enumerate(token):
        for other in {"A", "z", "_", ":"} - {letter}:
            forged = token[:place] + other + token[place + 1 :]
            assert refused(forged).status == 404
    for wrong in (token[:-1], token[1:], f"{token}A", token.upper(), token * 2, "", ":", "::", "é"):
        assert refused(wrong).status == 404
    assert not Download.objects.exclude(event="issued").exists()


def test_a_token_of_another_purpose_or_key_is_no_link(token: str, settings: Any) -> None:
    link = Download.objects.get().link.hex
    assert refused(signing.dumps(link)).status == 404
    assert refused(signing.dumps(link, salt="another.purpose")).status == 404
    assert refused(signing.dumps(link, key="another key", salt=SALT)).status == 404
    settings.SECRET_KEY = "a key that came later"
    assert refused(token).status == 404


def test_a_genuine_token_of_no_link_is_unknown(db: None) -> None:
    refusal = refused(signing.dumps(uuid.uuid4().hex, salt=SALT))
    assert (refusal.status, str(refusal)) == (404, "This link is unknown.")


@pytest.mark.parametrize(("seconds", "opens"), [(899, True), (902, False)])
def test_a_link_lives_as_long_as_it_says(token: str, seconds: int, opens: bool) -> None:
    moment = timezone.now().timestamp() + seconds
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.core.signing.time.time", lambda: moment)
        if opens:
            redeem(token=token).file.close()
            return
        refusal = refused(token)
    assert refusal.status == 410
    assert Download.objects.get(event="denied").reason == "expired"


def token_of(**changed: Any) -> str:
    """A genuine token of a row of the log that differs from an issued one."""
    issued = Download.objects.filter(event="issued").values().get()
    del issued["id"], issued["at"]
    row = Download.objects.create(**issued | {"link": uuid.uuid4()} | changed)
    return signing.dumps(row.link.hex, salt=SALT)


@pytest.mark.parametrize(
    ("changed", "status", "reason"),
    [
        ({"kit_sha256": "0" * 64}, 403, "issued for other bytes"),
        ({"version_id": None}, 404, "leads to nothing"),
        ({"entitlement_id": None}, 404, "leads to nothing"),
        ({"member_id": None}, 403, "no longer a member"),
        ({"event": "started"}, 404, "unknown"),
    ],
)
def test_a_row_that_names_no_right_opens_nothing(
    token: str, changed: dict[str, Any], status: int, reason: str
) -> None:
    refusal = refused(token_of(**changed))
    assert refusal.status == status
    assert reason in str(refusal)


def test_whoever_holds_a_link_the_log_names_whom_it_was_issued_to(
    token: str, owner: User, outsider: User
) -> None:
    response: Any = signed_in(outsider).get(f"/download/{token}")
    assert len(response.getvalue()) == Kit.objects.get().size
    assert Download.objects.get(event="started").member == owner
    assert refused(token_of(member_id=outsider.pk)).status == 403


def publish_as(folder: Path, old: str, new: str) -> PackageVersion:
    definition = folder / "package.yaml"
    definition.write_text(definition.read_text().replace(old, new, 1))
    return publish_version(folder=folder)[0]


def test_a_link_is_for_its_own_version(token: str, package_folder: Path) -> None:
    newer = publish_as(package_folder, "version: 1.0.0", "version: 1.1.0")
    redeemed = redeem(token=token)
    redeemed.file.close()
    assert redeemed.version.version == "1.0.0"
    assert redeemed.kit.pk != newer.kit_id
    assert refused(token_of(version_id=newer.pk)).status == 403


def test_an_entitlement_opens_no_other_package(token: str, package_folder: Path) -> None:
    other = publish_as(package_folder, "slug: kimi-k3", "slug: kimi-k4")
    refusal = refused(token_of(version_id=other.pk, kit_sha256=other.kit_id))
    assert (refusal.status, str(refusal)) == (403, "This version is of another package.")


def test_a_link_signs_nobody_in(token: str, client: Client) -> None:
    response: Any = client.get(f"/download/{token}")
    response.getvalue()
    assert not client.cookies
    assert client.get("/account/").status_code == 302


def test_a_new_link_leaves_the_old_one_alone(bought: Purchase, token: str, owner: User) -> None:
    issue_link(entitlement=bought.entitlement, version=bought.version, member=owner)
    redeem(token=token).file.close()


def refund(bought: Purchase) -> None:
    record_refund(
        charge=bought.entitlement.payment,
        provider="stripe",
        reference="re_1",
        amount_minor=250_000,
        recorded_by="t",
    )


def breach(bought: Purchase) -> None:
    Hold.objects.create(entitlement=bought.entitlement, reason=Hold.Reason.BREACH)


def revoke(bought: Purchase) -> None:
    SigningKey.objects.filter(purpose="benchmark").update(
        status="revoked", compromised_since=timezone.now(), revocation_reason="stolen"
    )


def withdraw(bought: Purchase) -> None:
    PackageVersion.objects.update(
        state="withdrawn", withdrawn_at=timezone.now(), withdrawal_reason="A <b>figure</b> is wrong"
    )


CLOSED = [
    (refund, "Access is closed: refunded."),
    (breach, "Access is closed: licence breached."),
    (revoke, "The key that signed this kit was revoked. A new receipt will open it again."),
    (withdraw, "This version was withdrawn: A <b>figure</b> is wrong"),
]


@pytest.mark.parametrize(("happens", "reason"), CLOSED)
def test_a_person_gets_a_page_and_a_program_gets_a_line(
    bought: Purchase, token: str, happens: Callable[[Purchase], None], reason: str
) -> None:
    happens(bought)
    page = Client().get(f"/download/{token}", headers=BROWSER)
    assert page.status_code == 403
    assert "This link does not open" in shown(page)
    assert reason in shown(page)
    assert "<b>" not in page.text
    assert 'href="/account/"' in page.text
    line = Client().get(f"/download/{token}", headers={"Accept": "*/*"})
    assert (line.status_code, line.text) == (403, f"{reason}\n")
    assert line["Content-Type"].startswith("text/plain")
    assert page["Cache-Control"] == line["Cache-Control"] == "no-store"
    assert Download.objects.get(event="denied").reason == reason


@pytest.mark.parametrize(("happens", "reason"), CLOSED)
def test_no_new_link_is_issued_then_and_every_surface_says_why(
    bought: Purchase, owner: User, happens: Callable[[Purchase], None], reason: str
) -> None:
    happens(bought)
    client, page = signed_in(owner), f"/account/purchases/{bought.pk}/"
    posted = client.post(f"{page}1.0.0/link/")
    assert posted.status_code == 403
    assert reason in shown(posted)
    assert reason in shown(client.get(page))
    assert "Get a download link" not in client.get(page).text
    asked = client.post(f"/api/v1/kits/{bought.pk}/1.0.0/links/")
    assert (asked.status_code, asked.json()) == (403, {"detail": reason})
    assert [kit["closed_because"] for kit in client.get("/api/v1/kits/").json()] == [reason]
    assert not Download.objects.exists()


def test_when_a_hold_is_released_the_same_link_opens(bought: Purchase, token: str) -> None:
    breach(bought)
    assert refused(token).status == 403
    Hold.objects.update(released_at=timezone.now())
    redeem(token=token).file.close()


@pytest.mark.parametrize("version", ["9.9.9", "1.0.0-rc.1"])
def test_a_version_that_is_not_there_has_no_link(
    bought: Purchase, owner: User, version: str
) -> None:
    client = signed_in(owner)
    assert client.post(f"/account/purchases/{bought.pk}/{version}/link/").status_code == 404
    assert client.post(f"/api/v1/kits/{bought.pk}/{version}/links/").status_code == 404
