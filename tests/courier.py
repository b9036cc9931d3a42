"""Stripe's courier in a test's hand: the sandbox's events reach the store when a test says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.test import Client

from tests.provider import send
from tests.sandbox.conftest import API_KEY, ask

if TYPE_CHECKING:
    from tests.provider import Provider


class Courier:
    """Takes the events of a provider to the store, each once unless it is asked again."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self.taken: set[str] = set()
        self.client = Client()

    def waiting(self) -> list[dict[str, Any]]:
        """What was not taken yet, the oldest first."""
        events: list[dict[str, Any]] = []
        more: dict[str, Any] = {"has_more": True}
        while more["has_more"]:
            after = f"&starting_after={events[-1]['id']}" if events else ""
            address = f"{self.provider.server.settings.base_url}/v1/events?limit=100{after}"
            status, _, body = ask("GET", address, "", {"Authorization": f"Bearer {API_KEY}"})
            assert status == 200, body
            more = json.loads(body)
            events += more["data"]
        return [each for each in reversed(events) if each["id"] not in self.taken]

    def deliver(self, *kinds: str) -> dict[str, list[str]]:
        """Take what waits, of these types alone if any are named; returns the outcomes by type."""
        outcomes: dict[str, list[str]] = {}
        for event in self.waiting():
            if kinds and event["type"] not in kinds:
                continue
            self.taken.add(event["id"])
            answer = send(event, client=self.client)
            assert answer.status_code == 200, (event["type"], answer.content)
            outcomes.setdefault(event["type"], []).append(answer.json()["outcome"])
        return outcomes

    def lose(self, *kinds: str) -> None:
        """Take nothing to the store of what waits, as if it had never been sent."""
        lost = [each for each in self.waiting() if not kinds or each["type"] in kinds]
        self.taken |= {each["id"] for each in lost}
