"""Many connections at once: one purchase by all of them, fifty by one each, and others between."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from entitlements.completion import complete_purchase
from entitlements.entering import IncomingPayment
from entitlements.models import Entitlement, MaintenancePeriod, Payment, Purchase, Refund
from entitlements.purchasing import open_purchase
from entitlements.refunds import record_refund
from entitlements.renewing import renew_maintenance
from licensing.models import LicenceTerms, LicensedEntity, Member, User
from tests.faults.invariants import assert_promises
from tests.shop import payment_for, sign
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
EIGHT, FIFTY, OTHERS = 8, 50, 6
Action = Callable[[], object]


@pytest.fixture
def many(pending: Purchase, owner: User, terms: LicenceTerms) -> list[Purchase]:
    """Purchases of one package that wait for payment, each by an entity of its own."""
    made = []
    for number in range(FIFTY + 2 * OTHERS):
        entity = LicensedEntity.objects.create(legal_name=f"Meridian {number}", country="DE")
        Member.objects.create(entity=entity, user=owner, role=Member.Role.OWNER)
        signature = sign(account=owner, version=pending.version, entity=entity, terms=terms)
        made.append(open_purchase(signature=signature, buyer=owner))
    return made


def completing(purchase: Purchase, payment: IncomingPayment) -> Action:
    return lambda: complete_purchase(purchase=purchase, payment=payment)


def renewing(purchase: Purchase) -> Action:
    money = payment_for(purchase, amount_minor=purchase.maintenance_minor)
    return lambda: renew_maintenance(purchase=purchase, payment=money)


def refunding(purchase: Purchase) -> Action:
    charge = Payment.objects.get(purchase=purchase, kind="charge")
    return lambda: record_refund(
        charge=charge, provider="stripe", reference=f"re_{purchase.pk}", amount_minor=None,
        recorded_by="test",
    )  # fmt: skip


def test_eight_connections_complete_one_purchase_once(pending: Purchase) -> None:
    payment = payment_for(pending)
    assert at_once(*[completing(pending, payment)] * EIGHT) == []
    assert Payment.objects.count() == Entitlement.objects.count() == 1
    assert MaintenancePeriod.objects.count() == 1
    assert_promises()


def test_eight_payments_for_one_purchase_complete_it_once_and_seven_go_back(
    pending: Purchase,
) -> None:
    assert at_once(*[completing(pending, payment_for(pending)) for _ in range(EIGHT)]) == []
    bought = Entitlement.objects.get().payment
    assert Payment.objects.filter(kind="charge").count() == EIGHT
    back = Refund.objects.values_list("charge", flat=True)
    others = Payment.objects.exclude(pk=bought.pk).values_list("pk", flat=True)
    assert (len(back), set(back)) == (EIGHT - 1, set(others))
    assert_promises()


def test_fifty_complete_at_once_while_others_renew_and_refund(many: list[Purchase]) -> None:
    waiting, others = many[:FIFTY], many[FIFTY:]
    for other in others:
        complete_purchase(purchase=other, payment=payment_for(other))
    actions = [completing(each, payment_for(each)) for each in waiting]
    actions += map(renewing, others[:OTHERS])
    actions += map(refunding, others[OTHERS:])
    # Whoever lost a deadlock would say so here.
    assert at_once(*actions) == []
    assert Entitlement.objects.count() == FIFTY + len(others)
    assert Payment.objects.filter(kind="charge").count() == FIFTY + len(others) + OTHERS
    assert Payment.objects.filter(kind="refund").count() == OTHERS
    assert_promises()
