from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from entitlements.inbox import replay
from entitlements.models import ProviderEvent


class Command(BaseCommand):
    help = "Apply a stored event again. What it brought before comes no second time."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("event_id", help="the provider's id of the event, evt_...")
        parser.add_argument("--provider", default="stripe")

    def handle(self, *args: Any, event_id: str, provider: str, **options: Any) -> None:
        event = ProviderEvent.objects.filter(provider=provider, event_id=event_id).first()
        if event is None:
            raise CommandError(
                f"event_id: no event {event_id} of {provider} is stored; "
                "/staff/entitlements/providerevent/ lists them"
            )
        outcome = replay(event)
        event.refresh_from_db()
        said = f"{event_id}: {outcome}" + (f" ({event.note})" if event.note else "")
        if outcome in (ProviderEvent.Outcome.HELD, ProviderEvent.Outcome.WAITING):
            raise CommandError(said)
        self.stdout.write(said)
