"""The licence's two pages, as a browser without scripts goes through them."""

from __future__ import annotations

from typing import Any

from django.test import Client

LICENCE = "/packages/kimi-k3-8xb300/licence/"
MARKS = ("authority", "redistribution", "resale", "traceability", "responsibility", "consent")


def summarised(client: Client, answers: dict[str, str]) -> dict[str, str]:
    """The fields that the summary of these answers sends on, its seal among them."""
    response: Any = client.post(LICENCE, answers)
    assert response.status_code == 200, response.context["form"].errors
    form = response.context["form"]
    sent = {field.name: field.value() for field in form}
    kept = {name: "True" if value is True else str(value or "") for name, value in sent.items()}
    return kept | {"seen": response.context["seal"]}


def signed(client: Client, answers: dict[str, str]) -> Any:
    """The answer to both pages: of the first, where it leads to no summary."""
    response: Any = client.post(LICENCE, answers)
    if response.status_code != 200:
        return response
    return client.post(LICENCE, answers | {"seen": response.context["seal"]})
