"""Run by `manage.py shell` in a store under test: a buyer signs, opens a purchase, goes to pay."""

from __future__ import annotations

from uuid import uuid4

from catalog.models import PackageVersion
from entitlements.purchasing import open_purchase
from entitlements.stripe.checkout import start_checkout
from licensing.models import LicenceTerms, LicensedEntity, Member
from tests.people import make_user
from tests.shop import sign


def go_to_pay() -> None:
    """Print the purchase's number and the address of the hosted page."""
    buyer = make_user(f"{uuid4().hex}@meridian.example", name="Ada Okafor")
    entity = LicensedEntity.objects.create(
        legal_name=f"Meridian {uuid4().hex[:8]}", country="DE", address="Ring 2"
    )
    Member.objects.create(entity=entity, user=buyer, role=Member.Role.OWNER)
    version, terms = PackageVersion.objects.get(), LicenceTerms.objects.get()
    signature = sign(account=buyer, version=version, entity=entity, terms=terms)
    purchase = open_purchase(signature=signature, buyer=buyer)
    print(purchase.pk, start_checkout(purchase))
