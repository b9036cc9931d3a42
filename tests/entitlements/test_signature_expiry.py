"""An unused signature can be bought with for its time: afterwards one signs again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, connections, transaction

from entitlements.completion import complete_purchase
from entitlements.models import Purchase
from entitlements.purchasing import SignatureExpired, open_purchase
from entitlements.signature_validity import carry_validity
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, User
from tests.conftest import owner_settings
from tests.people import signed_in
from tests.shop import payment_for, sign

BUY, LICENCE = "/packages/kimi-k3-8xb300/buy/", "/packages/kimi-k3-8xb300/licence/"


def migrated_with(days: int, settings: Any) -> None:
    """What a migrate by the owner does when the setting is this."""
    settings.SIGNATURE_VALID_DAYS = days
    owner = connection.copy()
    owner_settings(owner.settings_dict)
    usual, connections["default"] = connections["default"], owner
    try:
        carry_validity(sender=apps.get_app_config("entitlements"), using="default")
    finally:
        connections["default"] = usual
        owner.close()


@contextmanager
def over(settings: Any) -> Iterator[None]:
    """While every signature's time is over: a test cannot make one old, which never changes."""
    usual = settings.SIGNATURE_VALID_DAYS
    migrated_with(-1, settings)
    try:
        yield
    finally:
        migrated_with(usual, settings)


@pytest.fixture
def late(signature: LicenceSignature, settings: Any) -> Iterator[LicenceSignature]:
    """The owner's signature, after its time."""
    with over(settings):
        yield signature


def test_a_signature_whose_time_is_over_opens_no_purchase(
    late: LicenceSignature, owner: User
) -> None:
    with pytest.raises(SignatureExpired, match="please sign it again"):
        open_purchase(signature=late, buyer=owner)
    assert not Purchase.objects.exists()


def test_who_tries_is_told_and_led_to_sign_again(late: LicenceSignature, owner: User) -> None:
    response = signed_in(owner).post(BUY, {"signature": str(late.pk)}, follow=True)
    assert response.redirect_chain == [(LICENCE, 302)]
    assert "can no longer be bought with. Nothing was charged" in response.text


def test_it_is_no_choice_any_more_and_the_account_says_why(
    late: LicenceSignature, owner: User
) -> None:
    client = signed_in(owner)
    assert client.get(f"{BUY}?signature={late.pk}").headers["Location"] == LICENCE
    account = client.get("/account/").text
    assert "was not used in time" in account
    assert f'<a href="{LICENCE}">Sign it again</a>' in account
    assert "Pay for it" not in account


def test_signing_again_ends_the_note(
    signature: LicenceSignature,
    owner: User,
    entity: LicensedEntity,
    terms: LicenceTerms,
    settings: Any,
) -> None:
    with over(settings):
        sign(account=owner, version=_on_sale(signature), entity=entity, terms=terms)
        # Both are late here; of two only the newer is spoken of.
        assert signed_in(owner).get("/account/").text.count("was not used in time") == 1


def _on_sale(signature: LicenceSignature) -> Any:
    return signature.package.versions.get()


def test_postgres_refuses_it_too(late: LicenceSignature) -> None:
    price = _on_sale(late).definition.price
    with pytest.raises(IntegrityError, match="its time for buying is over"), transaction.atomic():
        Purchase.objects.create(
            signature=late,
            package=late.package,
            version=_on_sale(late),
            entity=late.entity,
            currency=price.currency,
            price_minor=price.one_time_minor,
            maintenance_minor=price.maintenance_minor,
        )


def test_the_application_cannot_lengthen_the_time(db: None) -> None:
    statement = (
        "CREATE OR REPLACE FUNCTION entitlements_signature_validity() RETURNS interval"
        " LANGUAGE sql AS $$ SELECT interval '99 years' $$"
    )
    with pytest.raises(Exception, match=r"must be owner|permission denied"), transaction.atomic():
        connection.cursor().execute(statement)


def test_a_purchase_that_was_opened_in_time_is_still_paid(
    pending: Purchase, owner: User, settings: Any
) -> None:
    with over(settings):
        assert open_purchase(signature=pending.signature, buyer=owner) == pending
        complete_purchase(purchase=pending, payment=payment_for(pending))
        assert "was not used in time" not in signed_in(owner).get("/account/").text


def test_the_last_migrates_setting_is_what_postgres_holds(
    signature: LicenceSignature, owner: User, settings: Any
) -> None:
    usual = settings.SIGNATURE_VALID_DAYS
    with over(settings):
        migrated_with(7, settings)
        [found] = signed_in(owner).get("/account/").context["unused_signatures"]
        assert found.expires_at - found.signed_at == timedelta(days=7)
        assert not found.expired
    [found] = signed_in(owner).get("/account/").context["unused_signatures"]
    assert found.expires_at - found.signed_at == timedelta(days=usual)
