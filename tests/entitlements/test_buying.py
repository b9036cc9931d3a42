"""Buying: by members alone, with a signature of their entity, and charged at the provider alone."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from catalog.models import PackageVersion
from catalog.publishing import publish_version
from entitlements.completion import complete_purchase
from entitlements.entering import PaymentMismatch
from entitlements.models import Entitlement, Purchase
from entitlements.views import buying
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, Member, User
from tests.people import signed_in
from tests.shop import payment_for, sign

BUY = "/packages/kimi-k3-8xb300/buy/"
LICENCE = "/packages/kimi-k3-8xb300/licence/"
CHECKOUT = "https://checkout.stripe.com/c/pay/cs_1"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Purchase]:
    """The purchases that the provider was asked about; it leads each to its checkout."""
    found: list[Purchase] = []

    def start(purchase: Purchase) -> str:
        found.append(purchase)
        return CHECKOUT

    monkeypatch.setattr(buying, "start_checkout", start)
    monkeypatch.setattr(buying, "settle_purchase", found.append)
    return found


@pytest.mark.parametrize("role", [Member.Role.OWNER, Member.Role.SIGNER])
def test_who_may_bind_the_entity_buys_and_goes_to_the_provider(
    signature: LicenceSignature, asked: list[Purchase], team_mate: User, role: str
) -> None:
    user = team_mate
    Member.objects.filter(user=user).update(role=role)
    form = {"signature": str(signature.pk), "purchase_order": "PO 7"}
    response = signed_in(user).post(BUY, form)
    made = Purchase.objects.get()
    assert (response.status_code, response.headers["Location"]) == (303, CHECKOUT)
    assert (made.buyer, made.entity, made.state) == (user, signature.entity, "pending")
    assert (made.signature, made.purchase_order, asked) == (signature, "PO 7", [made])
    assert not Entitlement.objects.exists()


def test_an_engineer_is_told_who_buys(
    signature: LicenceSignature, asked: list[Purchase], team_mate: User
) -> None:
    response = signed_in(team_mate).post(BUY, {"signature": str(signature.pk)})
    assert response.status_code == 403
    assert "Owners and signers of Meridian Labs GmbH pay for it" in response.text
    assert not Purchase.objects.exists()


def test_an_outsider_is_led_to_the_licence_and_buys_nothing(
    signature: LicenceSignature, asked: list[Purchase], outsider: User
) -> None:
    client = signed_in(outsider)
    for response in (client.get(BUY), client.post(BUY, {"signature": str(signature.pk)})):
        assert response.headers["Location"] == LICENCE
    assert not Purchase.objects.exists()
    assert asked == []


def test_the_signature_of_another_entity_buys_nothing(
    signature: LicenceSignature,
    asked: list[Purchase],
    outsider: User,
    published: PackageVersion,
    terms: LicenceTerms,
) -> None:
    theirs = LicensedEntity.objects.get(members__user=outsider)
    sign(account=outsider, version=published, entity=theirs, terms=terms)
    response = signed_in(outsider).post(BUY, {"signature": str(signature.pk)})
    assert response.status_code == 400
    assert "signature" in response.context["form"].errors
    assert not Purchase.objects.exists()
    page = signed_in(outsider).get(f"{BUY}?signature={signature.pk}").text
    assert str(signature.pk) not in page
    assert "Meridian" not in page


def test_a_signature_for_another_package_buys_nothing(
    signature: LicenceSignature, asked: list[Purchase], owner: User, package_folder: Path
) -> None:
    definition = package_folder / "package.yaml"
    text = definition.read_text().replace("slug: kimi-k3", "slug: kimi-k4", 1)
    definition.write_text(text)
    other = publish_version(folder=package_folder)[0].package.slug
    response = signed_in(owner).post(f"/packages/{other}/buy/", {"signature": str(signature.pk)})
    assert response.headers["Location"] == f"/packages/{other}/licence/"
    assert not Purchase.objects.exists()


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"signature": "no-uuid"},
        {"signature": str(uuid4())},
        {"signature": "own", "purchase_order": "x" * 81},
        {"signature": "own", "purchase_order": "a\0b"},
    ],
)
def test_a_form_that_is_wrong_opens_no_purchase(
    signature: LicenceSignature, asked: list[Purchase], owner: User, form: dict[str, str]
) -> None:
    sent = {name: str(signature.pk) if value == "own" else value for name, value in form.items()}
    response = signed_in(owner).post(BUY, sent)
    assert response.status_code == 400
    assert response.context["form"].errors
    assert not Purchase.objects.exists()


@pytest.mark.parametrize("query", ["", "?signature=no-uuid", "?signature=%00"])
def test_looking_at_the_price_buys_nothing(
    signature: LicenceSignature, asked: list[Purchase], owner: User, query: str
) -> None:
    response = signed_in(owner).get(f"{BUY}{query}")
    assert response.status_code == 200
    assert "$2,300" in response.text
    assert not Purchase.objects.exists()


def test_one_signature_buys_once(pending: Purchase, asked: list[Purchase], owner: User) -> None:
    response = signed_in(owner).post(BUY, {"signature": str(pending.signature_id)})
    assert (response.headers["Location"], asked) == (CHECKOUT, [pending])
    complete_purchase(purchase=pending, payment=payment_for(pending))
    response = signed_in(owner).post(BUY, {"signature": str(pending.signature_id)})
    assert (response.headers["Location"], asked) == (pending.get_absolute_url(), [pending])
    assert Purchase.objects.count() == 1


def test_what_is_withdrawn_is_not_sold(
    signature: LicenceSignature, asked: list[Purchase], owner: User
) -> None:
    PackageVersion.objects.update(
        state="withdrawn", withdrawn_at=timezone.now(), withdrawal_reason="wrong"
    )
    client = signed_in(owner)
    assert client.get(BUY).status_code == 404
    assert client.post(BUY, {"signature": str(signature.pk)}).status_code == 404
    assert not Purchase.objects.exists()


@pytest.mark.parametrize(
    ("person", "pay", "returned"),
    [("owner", 303, 200), ("team_mate", 403, 200), ("outsider", 404, 404)],
)
def test_the_provider_is_asked_for_members_alone(
    pending: Purchase,
    asked: list[Purchase],
    person: str,
    pay: int,
    returned: int,
    request: pytest.FixtureRequest,
) -> None:
    client = signed_in(request.getfixturevalue(person))
    page = f"/account/purchases/{pending.pk}/"
    assert client.post(f"{page}pay/").status_code == pay
    assert client.get(f"{page}return/?session_id=cs_1").status_code == returned
    times = {"owner": 2, "team_mate": 1, "outsider": 0}
    assert asked == [pending] * times[person]


def test_a_stranger_makes_the_provider_do_nothing(
    pending: Purchase, asked: list[Purchase], client: Client
) -> None:
    page = f"/account/purchases/{pending.pk}/"
    for response in (client.post(BUY), client.post(f"{page}pay/"), client.get(f"{page}return/")):
        assert response.headers["Location"].startswith("/accounts/login/?next=/")
    assert asked == []


def test_back_before_the_money_the_page_asks_again_by_itself(
    pending: Purchase, asked: list[Purchase], owner: User
) -> None:
    response = signed_in(owner).get(f"/account/purchases/{pending.pk}/return/")
    assert response.headers["Refresh"] == "3"
    assert "being processed" in response.text


def test_back_with_the_money_the_kit_is_there(
    pending: Purchase, monkeypatch: pytest.MonkeyPatch, owner: User
) -> None:
    def settle(purchase: Purchase) -> Entitlement:
        return complete_purchase(purchase=purchase, payment=payment_for(purchase))

    monkeypatch.setattr(buying, "settle_purchase", settle)
    response = signed_in(owner).get(f"/account/purchases/{pending.pk}/return/", follow=True)
    assert response.redirect_chain == [(f"/account/purchases/{pending.pk}/", 302)]
    assert "Get a download link" in response.text


def test_back_with_another_amount_says_so_and_opens_nothing(
    pending: Purchase, monkeypatch: pytest.MonkeyPatch, owner: User
) -> None:
    def settle(purchase: Purchase) -> None:
        raise PaymentMismatch

    monkeypatch.setattr(buying, "settle_purchase", settle)
    response = signed_in(owner).get(f"/account/purchases/{pending.pk}/return/")
    assert "The amount that arrived is not the price" in response.text
    assert "Refresh" not in response.headers
    assert not Entitlement.objects.exists()


def test_without_a_provider_nothing_was_charged_and_the_page_says_so(
    pending: Purchase, owner: User
) -> None:
    response = signed_in(owner).post(f"/account/purchases/{pending.pk}/pay/")
    assert response.status_code == 503
    assert "Nothing was charged" in response.text
    page = signed_in(owner).get(f"/account/purchases/{pending.pk}/return/")
    assert (page.status_code, page.headers["Refresh"]) == (200, "3")
