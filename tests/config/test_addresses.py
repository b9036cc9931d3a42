from __future__ import annotations

import pytest
from django.test import Client

from catalog.models import PackageVersion


@pytest.mark.parametrize(
    "path",
    [
        "/packages/kimi-k3-8xb300/%00/",
        "/packages/kimi-k3-8xb300/1.0.0%00/receipt.json",
        "/packages/%F0%9F%92%A5/",
        "/packages/kimi-k3-8xb300/..%2f..%2f/",
        "/licences/enterprise-1%00.txt",
        "/receipts/" + "g" * 64 + "/",
        "/download/%00",
        "/api/v1/packages/%00/",
        "/packages/kimi-k3-8xb300/9.9.9/",
        "/nowhere",
    ],
)
def test_an_address_that_leads_nowhere_is_404(
    published: PackageVersion, client: Client, path: str
) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_operations_are_told_that_all_is_well(db: None, client: Client, path: str) -> None:
    assert client.get(path).json() == {"status": "ok"}
