from __future__ import annotations

import gzip
import hashlib
from typing import Any

import pytest
from django.core.files.storage import storages
from django.test import Client
from django.utils import timezone

from catalog.models import Kit, PackageVersion
from entitlements.links import issue_link
from entitlements.models import Download, Hold, Purchase
from entitlements.refunds import record_refund
from licensing.models import Member, User
from tests.people import signed_in
from tests.shop import revoke as revoke_active


@pytest.fixture
def link(bought: Purchase, owner: User) -> str:
    """The path of a fresh link of the owner's."""
    token = issue_link(entitlement=bought.entitlement, version=bought.version, member=owner)
    return f"/download/{token}"


def body(response: Any) -> bytes:
    return b"".join(response.streaming_content)


def kit() -> Kit:
    return Kit.objects.get()


def test_a_link_gives_the_kit_to_a_machine_without_a_session(link: str, client: Client) -> None:
    response = client.get(link)
    content = body(response)
    assert hashlib.sha256(content).hexdigest() == kit().sha256
    assert gzip.decompress(content)
    assert response["ETag"] == f'"{kit().sha256}"'


def test_a_download_in_ranges_is_one_row_started_and_one_completed(
    link: str, client: Client
) -> None:
    first = client.get(link, headers={"Range": "bytes=0-999"})
    rest = client.get(link, headers={"Range": "bytes=1000-", "If-Range": first["ETag"]})
    assert (first.status_code, rest.status_code) == (206, 206)
    assert hashlib.sha256(body(first) + body(rest)).hexdigest() == kit().sha256
    events = Download.objects.order_by("id").values_list("event", flat=True)
    assert list(events) == ["issued", "started", "completed"]


@pytest.mark.parametrize(
    ("asked", "status", "length"),
    [
        ("bytes=-10", 206, 10),
        ("bytes=5-5", 206, 1),
        ("bytes=0-999999999", 206, None),
        ("bytes=1-2,4-5", 200, None),
        ("lines=1-2", 200, None),
        ("bytes=9-3", 200, None),
    ],
)
def test_ranges_are_answered_by_the_book(
    link: str, client: Client, asked: str, status: int, length: int | None
) -> None:
    response = client.get(link, headers={"Range": asked})
    assert response.status_code == status
    assert len(body(response)) == (length or kit().size)


@pytest.mark.parametrize("asked", ["bytes=999999999-", "bytes=-0"])
def test_a_range_outside_the_bytes_is_416(link: str, client: Client, asked: str) -> None:
    response = client.get(link, headers={"Range": asked})
    assert response.status_code == 416
    assert response["Content-Range"] == f"bytes */{kit().size}"


def test_if_range_of_other_bytes_sends_the_whole(link: str, client: Client) -> None:
    response = client.get(link, headers={"Range": "bytes=1-", "If-Range": '"other"'})
    assert response.status_code == 200
    assert len(body(response)) == kit().size


def test_head_sends_no_byte_and_counts_no_download(link: str, client: Client) -> None:
    response = client.head(link)
    assert response["Content-Length"] == str(kit().size)
    assert Download.objects.count() == 1


def refund(bought: Purchase) -> None:
    record_refund(
        charge=bought.entitlement.payment,
        provider="stripe",
        reference="re_1",
        amount_minor=250_000,
        recorded_by="t",
    )


def dispute(bought: Purchase) -> None:
    Hold.objects.create(entitlement=bought.entitlement, reason=Hold.Reason.DISPUTE)


def revoke(bought: Purchase) -> None:
    revoke_active("benchmark")


def withdraw(bought: Purchase) -> None:
    PackageVersion.objects.update(
        state="withdrawn", withdrawn_at=timezone.now(), withdrawal_reason="wrong figure"
    )


def leave(bought: Purchase) -> None:
    Member.objects.filter(entity=bought.entity).delete()


def disable(bought: Purchase) -> None:
    User.objects.update(is_active=False)


def tamper(bought: Purchase) -> None:
    storages["kits"].delete(kit().path)
    with storages["kits"].open(kit().path, "wb") as file:
        file.write(b"x" * kit().size)


@pytest.mark.parametrize(
    ("happens", "status", "reason"),
    [
        (refund, 403, "refunded"),
        (dispute, 403, "disputed"),
        (revoke, 403, "revoked"),
        (withdraw, 403, "wrong figure"),
        (leave, 403, "no longer a member"),
        (disable, 403, "no longer a member"),
        (tamper, 503, "not what was signed"),
    ],
)
def test_a_link_issued_before_is_refused_after(
    bought: Purchase, link: str, client: Client, happens: Any, status: int, reason: str
) -> None:
    happens(bought)
    response = client.get(link)
    assert response.status_code == status
    assert reason in response.content.decode()
    assert Download.objects.filter(event="denied").count() == 1


def test_a_partial_refund_leaves_access(bought: Purchase, link: str, client: Client) -> None:
    record_refund(
        charge=bought.entitlement.payment,
        provider="stripe",
        reference="re_1",
        amount_minor=100,
        recorded_by="t",
    )
    assert len(body(client.get(link))) == kit().size


def test_a_changed_token_is_not_a_link(link: str, client: Client) -> None:
    response = client.get(link[:-1] + ("A" if link[-1] != "A" else "B"))
    assert response.status_code == 404
    assert "not a link of ours" in response.content.decode()


def test_an_expired_link_says_how_to_go_on(link: str, client: Client, settings: Any) -> None:
    settings.DOWNLOAD_LINK_SECONDS = -1
    response = client.get(link, headers={"Accept": "text/html"})
    assert response.status_code == 410
    assert "Your account issues a new one" in response.content.decode()


@pytest.mark.parametrize(
    ("person", "status"), [("owner", 200), ("team_mate", 200), ("outsider", 404)]
)
def test_members_alone_see_the_purchase_and_get_links(
    bought: Purchase, person: str, status: int, request: pytest.FixtureRequest
) -> None:
    client = signed_in(request.getfixturevalue(person))
    page = f"/account/purchases/{bought.pk}/"
    assert client.get(page).status_code == status
    assert client.post(f"{page}1.0.0/link/").status_code == status
    assert client.get(f"{page}1.0.0/buyer-receipt.json").status_code == status


def test_a_stranger_is_sent_to_sign_in(bought: Purchase, client: Client) -> None:
    page = f"/account/purchases/{bought.pk}/"
    for response in (client.get(page), client.post(f"{page}1.0.0/link/"), client.get("/account/")):
        assert response.headers["Location"].startswith("/accounts/login/")
