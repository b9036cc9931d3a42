"""Every address of the store, and what each person is answered there.

A row has one word a person: a status, "login" for being sent to sign in, "desk" for being sent
to the staff's sign-in, which refuses whoever is no staff.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from licensing.models import User

PEOPLE = ("owner", "team_mate", "outsider", "stranger", "staff")


class Row(NamedTuple):
    """What PEOPLE are answered, in their order."""

    get: str
    post: str


def everybody(get: str, post: str) -> Row:
    """A row in which nobody is told anything else."""
    return Row(" ".join([get] * len(PEOPLE)), " ".join([post] * len(PEOPLE)))


PUBLIC = everybody("200", "405")
OWN_PAGE = Row("200 200 200 login 200", "405 405 405 login 405")
OWN_FORM = Row("200 200 200 login 200", "200 200 200 login 200")
PASSING = Row("302 302 302 login 302", "302 302 302 login 302")
FOR_STRANGERS = Row("302 302 302 200 302", "302 302 302 200 302")
MEMBERS_READ = Row("200 200 404 login 404", "405 405 405 login 405")
BY_OWNERS = Row("405 405 405 login 405", "302 403 404 login 404")
ENTITY = "account/entities/<uuid:entity>/"

STORE: dict[str, Row] = {
    "favicon.ico": everybody("302", "302"),
    "healthz": PUBLIC,
    "readyz": PUBLIC,
    ".well-known/touchstone/keys.json": PUBLIC,
    # The root of this store has signed nothing: verifiers are told so and trust nothing.
    ".well-known/touchstone/keys.dsse.json": everybody("503", "405"),
    ".well-known/touchstone/root.json": everybody("404", "405"),
    ".well-known/jwks.json": PUBLIC,
    "": PUBLIC,
    "check/": PUBLIC,
    "packages/<slug:slug>/": PUBLIC,
    "packages/<slug:slug>/card/": PUBLIC,
    "packages/<slug:slug>/card.json": PUBLIC,
    "packages/<slug:slug>/<version:version>/": PUBLIC,
    "packages/<slug:slug>/<version:version>/receipt.json": PUBLIC,
    "packages/<slug:slug>/<version:version>/receipt.sigstore.json": PUBLIC,
    # The sample lists no raw file; tests/catalog/test_raw_files.py asks for one.
    "packages/<slug:slug>/<version:version>/raw/<sha256:sha256>/": everybody("404", "405"),
    "^receipts/(?P<payload_sha256>[0-9a-f]{64})/$": PUBLIC,
    "^receipts/(?P<payload_sha256>[0-9a-f]{64})/receipt\\.pdf$": PUBLIC,
    "licences/<slug:family>-<version:version>.txt": PUBLIC,
    "licences/<slug:family>/<version:version>/": PUBLIC,
    "licences/<slug:family>/<version:version>/changes/": PUBLIC,
    # A stranger reads the terms; whoever signs in may sign, for entities of their own.
    "packages/<slug:slug>/licence/": Row("200 200 200 200 200", "400 400 400 login 400"),
    # A new purchase begins at the licence. Who posts as a member has named no signature here.
    "packages/<slug:slug>/buy/": Row("302 302 302 login 302", "400 400 302 login 302"),
    "account/": OWN_PAGE,
    # The only owner hands over first; staff is deleted by whoever runs the store.
    "account/delete/": Row("200 200 200 login 403", "400 400 400 login 403"),
    "account/signatures/<uuid:pk>/": MEMBERS_READ,
    "account/signatures/<uuid:pk>/agreement.pdf": MEMBERS_READ,
    "account/signatures/<uuid:pk>/licence-receipt.json": MEMBERS_READ,
    # The team mate is an engineer: what owners alone do is refused, with the reason.
    ENTITY: MEMBERS_READ,
    f"{ENTITY}act/": Row("405 405 405 login 405", "302 302 404 login 404"),
    f"{ENTITY}edit/": Row("200 403 404 login 404", "400 403 404 login 404"),
    f"{ENTITY}invite/": Row("405 405 405 login 405", "400 403 404 login 404"),
    f"{ENTITY}invited/<int:invitation>/revoke/": BY_OWNERS,
    # The only owner cannot leave the others.
    f"{ENTITY}leave/": Row("405 405 405 login 405", "409 302 404 login 404"),
    f"{ENTITY}members/<int:member>/role/": Row("405 405 405 login 405", "400 403 404 login 404"),
    f"{ENTITY}members/<int:member>/remove/": BY_OWNERS,
    f"{ENTITY}members/<int:member>/transfer/": BY_OWNERS,
    # It was sent to the outsider's address.
    "account/invitations/<str:token>/": Row("403 403 200 login 403", "403 403 302 login 403"),
    "account/purchases/<uuid:pk>/": MEMBERS_READ,
    "account/purchases/<uuid:pk>/<version:version>/buyer-receipt.json": MEMBERS_READ,
    # Engineers see the purchase and take no evidence of it; finance takes everybody's.
    "account/purchases/<uuid:pk>/evidence.tar.gz": Row(
        "200 403 404 login 200", "405 405 405 login 405"
    ),
    "account/purchases/<uuid:pk>/<version:version>/link/": Row(
        "405 405 405 login 405", "200 200 404 login 404"
    ),
    # The purchase is paid: it leads there.
    "account/purchases/<uuid:pk>/pay/": BY_OWNERS,
    # It was not paid by card, and no provider is configured.
    "account/purchases/<uuid:pk>/portal/": Row("405 405 405 login 405", "409 403 404 login 404"),
    "account/purchases/<uuid:pk>/renew/": Row("405 405 405 login 405", "503 403 404 login 404"),
    # The team mate is an engineer, who pays nothing; the purchase is paid and has no invoice.
    "account/purchases/<uuid:pk>/pro-forma/": Row("405 405 405 login 405", "302 403 404 login 404"),
    "account/purchases/<uuid:pk>/pro-forma.pdf": Row(
        "404 404 404 login 404", "405 405 405 login 405"
    ),
    "account/purchases/<uuid:pk>/terms/": Row("405 405 405 login 405", "400 400 404 login 404"),
    "account/purchases/<uuid:pk>/return/": Row("302 302 404 login 404", "405 405 405 login 405"),
    # A link is a key: who has it may fetch.
    "download/<str:token>": PUBLIC,
    "webhooks/stripe/": everybody("405", "400"),
    "api/v1/schema/": PUBLIC,
    "api/v1/packages/": PUBLIC,
    "api/v1/packages/<slug:slug>/": PUBLIC,
    "api/v1/kits/": Row("200 200 200 403 200", "405 405 405 403 405"),
    "api/v1/kits/<uuid:purchase>/<version:version>/links/": Row(
        "405 405 405 403 405", "201 201 404 403 404"
    ),
    "api/v1/purchases/<uuid:purchase>/pro-forma/": Row(
        "404 404 404 403 404", "409 403 404 403 404"
    ),
    "accounts/login/": FOR_STRANGERS,
    "accounts/signup/": FOR_STRANGERS,
    "accounts/logout/": Row("200 200 200 302 200", "302 302 302 302 302"),
    "accounts/inactive/": PUBLIC,
    "accounts/reauthenticate/": OWN_FORM,
    "accounts/reauthenticate/code/": OWN_FORM,
    "accounts/reauthenticate/code/confirm/": PASSING,
    "accounts/email/": Row("200 200 200 login 200", "302 302 302 login 302"),
    "accounts/confirm-email/": PUBLIC,
    "accounts/^confirm-email/(?P<key>[-:\\w]+)/$": everybody("200", "404"),
    "accounts/password/change/": OWN_FORM,
    "accounts/password/set/": PASSING,
    "accounts/password/reset/": everybody("200", "200"),
    "accounts/password/reset/done/": PUBLIC,
    "accounts/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": everybody("200", "200"),
    "accounts/password/reset/key/done/": PUBLIC,
    "accounts/login/code/confirm/": PASSING,
    # For who has no second factor and gave no password just now; the rest is in
    # tests/licensing/test_second_factor.py.
    "accounts/2fa/": OWN_PAGE,
    "accounts/2fa/authenticate/": PASSING,
    "accounts/2fa/reauthenticate/": PASSING,
    "accounts/2fa/totp/activate/": PASSING,
    "accounts/2fa/totp/deactivate/": Row("404 404 404 login 404", "404 404 404 login 404"),
    "accounts/2fa/recovery-codes/": Row("404 404 404 login 404", "405 405 405 login 405"),
    "accounts/2fa/recovery-codes/generate/": PASSING,
    "accounts/2fa/recovery-codes/download/": Row("404 404 404 login 404", "404 404 404 login 404"),
}


def routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[str]:
    """The route of every URL pattern of the project."""
    for each in (resolver or get_resolver()).url_patterns:
        route = prefix + str(each.pattern)
        if isinstance(each, URLPattern):
            yield route
        else:
            yield from routes(each, route)


def path_of(route: str, values: Mapping[str, object]) -> str:
    """A route's path, with a value for each of its names."""

    def value(match: re.Match[str]) -> str:
        return str(values[match[1]])

    plain = re.sub(r"\(\?P<(\w+)>[^()]*\)", value, route)
    plain = re.sub(r"[\^$\\]", "", plain)
    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", value, plain)


def visit(user: User | None, method: str, path: str) -> str:
    """The word for what a person is answered; whatever the visit changed is undone."""
    cache.clear()  # allauth counts attempts there
    client = Client()
    with transaction.atomic():
        if user is not None:
            client.force_login(user)
        response: Any = client.generic(method, path)
        if response.streaming:
            response.getvalue()  # to its end, which closes the file
        transaction.set_rollback(True)
    goes = response.headers.get("Location", "")
    sent = {"/accounts/login/": "login", "/staff/login/": "desk"}.get(goes.partition("?")[0])
    return sent or str(response.status_code)
