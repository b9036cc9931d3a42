"""What a visitor, a program and the payment provider are told when something of ours fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError, connection
from django.test import Client, RequestFactory

from config.errors import server_error
from tests.provider import send
from tests.sandbox.conftest import WEBHOOK_SECRET

SECRET = "could not connect to 10.0.0.7"


@pytest.fixture(params=[OperationalError, InterfaceError])
def away(request: pytest.FixtureRequest, db: None) -> Iterator[Client]:
    """A browser at a store whose database does not answer."""

    def fail(*_: Any, **__: Any) -> None:
        raise request.param(SECRET)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "cursor", fail)
        yield Client(raise_request_exception=False)


@pytest.mark.parametrize("path", ["/", "/account/", "/staff/"])
def test_without_its_database_a_page_says_when_to_try_again(away: Client, path: str) -> None:
    away.cookies["sessionid"] = "a" * 32
    response = away.get(path)
    assert (response.status_code, response["Retry-After"]) == (503, "10")
    assert response["Cache-Control"] == "no-store"
    assert "The store is away for a moment" in response.text
    assert SECRET not in response.text


def test_a_program_is_told_so_in_its_own_form(away: Client) -> None:
    response = away.get("/api/v1/packages/")
    assert (response.status_code, response["Retry-After"]) == (503, "10")
    assert response.json() == {"detail": "The store is away for a moment."}


def test_the_provider_is_refused_and_will_come_again(away: Client, settings: Any) -> None:
    settings.STRIPE_WEBHOOK_SECRET = WEBHOOK_SECRET
    event = {"id": "evt_1", "type": "invoice.paid", "data": {"object": {}}}
    assert send(event, client=away).status_code == 503


@pytest.mark.parametrize(("path", "form"), [("/", "text/html"), ("/api/", "application/json")])
def test_what_else_breaks_is_a_500_that_tells_nothing(path: str, form: str) -> None:
    try:
        raise ValueError(SECRET)  # noqa: TRY301 -- the error that the page must not tell
    except ValueError:
        response = server_error(RequestFactory().get(path))
    assert response.status_code == 500
    assert response["Content-Type"].startswith(form)
    assert not response.has_header("Retry-After")
    assert SECRET not in response.text
    assert "Something broke on our side" in response.text
