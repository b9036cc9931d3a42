"""The staff's site: every address of it, for staff with every right, a buyer and a stranger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.utils import quote
from django.contrib.auth.models import Group

from entitlements.inbox import receive_event
from entitlements.links import issue_link
from entitlements.models import Hold, Purchase
from licensing.models import User
from tests.config.access import path_of, routes, visit
from tests.evidence import sign_with_a_root
from tests.people import make_user

Answers = tuple[str, str]  # to GET and POST
ROW = "<path:object_id>/"
LIST_PAGES: dict[str, Answers] = {"": ("200", "200"), ROW: ("302", "302")}
READ_ONLY: dict[str, Answers] = LIST_PAGES | {
    "add/": ("403", "403"),
    f"{ROW}change/": ("200", "403"),
    f"{ROW}delete/": ("403", "403"),
    f"{ROW}history/": ("200", "200"),
}
CHANGEABLE: dict[str, Answers] = LIST_PAGES | {
    "add/": ("200", "200"),
    f"{ROW}change/": ("200", "200"),
    f"{ROW}delete/": ("200", "200"),
    f"{ROW}history/": ("200", "200"),
}
MODELS: dict[str, dict[str, Answers]] = {
    "account/emailaddress/": CHANGEABLE,
    "auth/group/": CHANGEABLE,
    "catalog/kit/": READ_ONLY,
    "catalog/package/": READ_ONLY,
    "catalog/packageversion/": READ_ONLY,
    "entitlements/download/": READ_ONLY,
    "entitlements/entitlement/": READ_ONLY,
    "entitlements/hold/": READ_ONLY,
    "entitlements/outbox/": READ_ONLY,
    "entitlements/payment/": READ_ONLY,
    "entitlements/providerevent/": READ_ONLY,
    "entitlements/purchase/": READ_ONLY,
    "licensing/licencesignature/": READ_ONLY,
    "licensing/licensedentity/": READ_ONLY,
    "licensing/licenceterms/": READ_ONLY,
    "receipts/receipt/": READ_ONLY,
    "receipts/signedkeys/": READ_ONLY,
    "receipts/signingkey/": READ_ONLY,
}
APPS = "receipts|entitlements|licensing|catalog|auth|account"
DESK: dict[str, Answers] = {
    "": ("200", "200"),
    "login/": ("302", "200"),
    "logout/": ("405", "302"),
    "import/": ("200", "400"),
    "terms/": ("200", "400"),
    "finance/": ("200", "405"),
    "finance/differences/": ("200", "405"),
    "finance/<slug:name>/": ("200", "405"),
    "finance/do/<slug:action>/<str:pk>/": ("200", "400"),
    "password_change/": ("200", "200"),
    "password_change/done/": ("200", "405"),
    "autocomplete/": ("403", "405"),
    "jsi18n/": ("200", "405"),
    "r/<path:content_type_id>/<path:object_id>/": ("404", "404"),
    f"^(?P<app_label>{APPS})/$": ("200", "200"),
    "(?P<url>.*)$": ("404", "404"),
}
# Whoever is no staff is led to the one sign-in, which asks a stranger and refuses a buyer.
ELSEWHERE = {
    "buyer": {"login/": ("403", "403"), "logout/": ("302", "302")},
    "stranger": {"login/": ("login", "login"), "logout/": ("302", "302")},
}


def rows_of(person: str) -> Iterator[tuple[str, str, Answers]]:
    """Each route of the site, the model it is of, and what the person is answered."""
    for route, answers in DESK.items():
        others = ELSEWHERE.get(person, {}).get(route, ("desk", "desk"))
        yield f"staff/{route}", "", answers if person == "staff" else others
    for model, pages in MODELS.items():
        for page, answers in pages.items():
            known = answers if person == "staff" else ("desk", "desk")
            yield f"staff/{model}{page}", model, known


@pytest.fixture
def people(bought: Purchase, owner: User) -> dict[str, User | None]:
    """Who asks, in a shop in which every table has a row."""
    issue_link(entitlement=bought.entitlement, version=bought.version, member=owner)
    Hold.objects.create(entitlement=bought.entitlement, reason=Hold.Reason.DISPUTE)
    receive_event(
        provider="stripe", event_id="evt_1", kind="price.updated", subject={}, payload={"id": "1"}
    )
    Group.objects.create(name="publishers")
    sign_with_a_root()
    staff = make_user("sam@store.example", staff=True)
    staff.is_superuser = True
    staff.save()
    return {"buyer": owner, "stranger": None, "staff": staff}


def values_for(model: str) -> dict[str, object]:
    values: dict[str, object] = {"app_label": "catalog", "url": "nowhere", "content_type_id": "0"}
    if not model:
        desk = {"name": "payments", "action": "record-transfer", "pk": "new"}
        return values | desk | {"object_id": "0"}
    manager: Any = apps.get_model(model.strip("/").replace("/", "."))._default_manager
    return values | {"object_id": quote(manager.first().pk)}


def test_every_address_of_the_staffs_site_has_a_row() -> None:
    found = {route for route in routes() if route.startswith("staff/")}
    assert found == {route for route, _, _ in rows_of("staff")}


@pytest.mark.parametrize("person", ["staff", "buyer", "stranger"])
def test_each_person_is_answered_at_the_staffs_site_as_the_row_says(
    person: str, people: dict[str, User | None]
) -> None:
    seen, meant = {}, {}
    for route, model, answers in rows_of(person):
        path = path_of(route, values_for(model))
        seen[route] = (visit(people[person], "GET", path), visit(people[person], "POST", path))
        meant[route] = answers
    assert seen == meant
