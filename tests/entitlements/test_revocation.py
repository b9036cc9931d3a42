"""A revoked key acts at once: on pages, the API, buying, and links already issued."""

from __future__ import annotations

from typing import IO

import pytest
from django.core.management import call_command
from django.test import Client

from catalog.models import Kit, PackageVersion
from catalog.storing import open_kit
from entitlements.completion import complete_purchase
from entitlements.doors import closed_because
from entitlements.links import LinkRefused, issue_link, redeem
from entitlements.models import Download, Purchase
from entitlements.outbox import run_due
from entitlements.purchasing import PurchaseRefused, open_purchase
from licensing.models import LicenceSignature, User
from receipts.keys import create_key
from tests.catalog.reading import shown
from tests.people import signed_in
from tests.shop import payment_for, revoke
from tests.threads import Rival

BUY = "/packages/kimi-k3-8xb300/buy/"


def sign_anew() -> None:
    create_key(purpose="benchmark")
    call_command("reissue_receipt", "kimi-k3-8xb300", "1.0.0")


def test_the_package_is_not_offered(published: PackageVersion, client: Client) -> None:
    revoke("benchmark")
    for path in ("/packages/kimi-k3-8xb300/", "/packages/kimi-k3-8xb300/1.0.0/"):
        text = shown(client.get(path))
        assert "was revoked (a laptop was stolen)" in text
        assert "neither sold nor delivered" in text
        assert "Key revoked" in text
        assert "sign the licence" not in text


def test_a_purchase_is_not_opened(signature: LicenceSignature, owner: User) -> None:
    revoke("benchmark")
    with pytest.raises(PurchaseRefused, match="not sold until it has a new receipt"):
        open_purchase(signature=signature, buyer=owner)
    answer = signed_in(owner).post(BUY, {"signature": signature.pk})
    assert answer.status_code == 400
    assert "not sold until it has a new receipt" in answer.text
    assert not Purchase.objects.exists()


def test_a_purchase_opened_before_does_not_reach_the_checkout(
    pending: Purchase, owner: User
) -> None:
    revoke("benchmark")
    answer = signed_in(owner).post(f"/account/purchases/{pending.pk}/pay/")
    assert answer.status_code == 409
    assert "not sold until it has a new receipt" in answer.text


def test_it_is_sold_again_once_signed_anew(signature: LicenceSignature, owner: User) -> None:
    revoke("benchmark")
    sign_anew()
    assert open_purchase(signature=signature, buyer=owner).state == Purchase.State.PENDING


def test_money_that_was_on_its_way_is_entered_and_the_kit_waits(pending: Purchase) -> None:
    revoke("benchmark")
    entitlement = complete_purchase(purchase=pending, payment=payment_for(pending))
    assert "was revoked" in closed_because(entitlement=entitlement, version=pending.version)
    sign_anew()
    pending.version.refresh_from_db()
    assert closed_because(entitlement=entitlement, version=pending.version) == ""


@pytest.mark.parametrize("person", ["owner", "team_mate"])
def test_account_and_api_say_closed_and_why_then_open(
    bought: Purchase, person: str, request: pytest.FixtureRequest
) -> None:
    client = signed_in(request.getfixturevalue(person))
    page = f"/account/purchases/{bought.pk}/"
    revoke("benchmark")
    assert "The key that signed this kit was revoked" in shown(client.get(page))
    [kit] = client.get("/api/v1/kits/").json()
    assert (kit["open"], "was revoked" in kit["closed_because"]) == (False, True)
    assert client.post(f"{page}1.0.0/link/").status_code == 403
    assert client.post(f"/api/v1/kits/{bought.pk}/1.0.0/links/").status_code == 403
    sign_anew()
    assert client.get("/api/v1/kits/").json()[0]["open"] is True
    assert client.post(f"/api/v1/kits/{bought.pk}/1.0.0/links/").status_code == 201


def test_a_link_of_before_opens_again_once_signed_anew(
    bought: Purchase, owner: User, client: Client
) -> None:
    token = issue_link(entitlement=bought.entitlement, version=bought.version, member=owner)
    revoke("benchmark")
    assert client.get(f"/download/{token}").status_code == 403
    sign_anew()
    assert client.head(f"/download/{token}").status_code == 200


def test_a_revoked_buyer_key_closes_no_kit(bought: Purchase, client: Client, owner: User) -> None:
    revoke("buyer")
    token = issue_link(entitlement=bought.entitlement, version=bought.version, member=owner)
    assert client.head(f"/download/{token}").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_key_revoked_while_the_bytes_are_hashed_stops_the_download(
    bought: Purchase, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = issue_link(entitlement=bought.entitlement, version=bought.version, member=owner)
    opened: list[IO[bytes]] = []

    def revoked_meanwhile(kit: Kit) -> IO[bytes]:
        opened.append(open_kit(kit))
        assert Rival(lambda: revoke("benchmark")).finish() == []
        return opened[0]

    monkeypatch.setattr("entitlements.links.open_kit", revoked_meanwhile)
    with pytest.raises(LinkRefused, match="was revoked"):
        redeem(token=token)
    assert opened[0].closed
    assert Download.objects.filter(event="denied").count() == 1


def test_the_account_shows_the_newest_buyer_receipt(bought: Purchase, owner: User) -> None:
    client, page = signed_in(owner), f"/account/purchases/{bought.pk}/"
    first = client.get(f"{page}1.0.0/buyer-receipt.json").content
    revoke("buyer")
    text = shown(client.get(page))
    assert "no longer holds: the key that signed it was revoked (a laptop was stolen)" in text
    create_key(purpose="buyer")
    run_due()
    assert "no longer holds" not in shown(client.get(page))
    assert client.get(f"{page}1.0.0/buyer-receipt.json").content != first


def test_the_account_says_that_a_buyer_receipt_names_a_replaced_receipt(
    bought: Purchase, owner: User
) -> None:
    client, page = signed_in(owner), f"/account/purchases/{bought.pk}/"
    revoke("benchmark")
    sign_anew()
    assert "the benchmark receipt that it names was signed anew" in shown(client.get(page))
    run_due()
    assert "no longer holds" not in shown(client.get(page))
