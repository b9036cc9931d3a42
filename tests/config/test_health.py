"""Liveness, readiness and the API's description, for machines that watch the store."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import OperationalError
from django.db.migrations.executor import MigrationExecutor
from django.test import Client


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_store_in_order_says_ok_and_is_asked_anew_each_time(
    db: None, client: Client, path: str
) -> None:
    response = client.get(path)
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    assert "no-store" in response["Cache-Control"]
    assert client.post(path).status_code == 405


def test_liveness_asks_no_database(client: Client) -> None:
    # Without the db fixture, any query fails the test.
    assert client.get("/healthz").json() == {"status": "ok"}


def test_a_schema_behind_the_code_is_not_ready(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: ["catalog.0003"])
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json() == {"status": "unavailable", "reason": "migrations"}


def test_a_database_that_does_not_answer_is_not_ready_and_tells_no_secret(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OperationalError("password of store@10.0.0.7 refused")

    monkeypatch.setattr(MigrationExecutor, "__init__", fail)
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json() == {"status": "unavailable", "reason": "database"}


def test_the_schema_names_every_address_of_the_api(db: None, client: Client) -> None:
    schema = json.loads(client.get("/api/v1/schema/?format=json").content)
    assert schema["openapi"].startswith("3.")
    assert set(schema["paths"]) == {
        "/api/v1/packages/",
        "/api/v1/packages/{slug}/",
        "/api/v1/kits/",
        "/api/v1/kits/{purchase}/{version}/links/",
        "/api/v1/purchases/{purchase}/pro-forma/",
    }
