from typing import Any

from django.core.management.base import BaseCommand, CommandError

from entitlements.stripe.client import StripeNotConfigured
from entitlements.stripe.prices import sync_prices


class Command(BaseCommand):
    help = "Let Stripe have the products and prices of what is on sale. May be run again."

    def handle(self, *args: Any, **options: Any) -> None:
        from stripe import StripeError  # see stripe/client.py

        said: list[str] = []
        try:
            sync_prices(report=said.append)
        except (StripeNotConfigured, StripeError) as error:
            raise CommandError(f"{error} Run it again: what was done stays.") from error
        finally:
            for line in said:
                self.stdout.write(line)
        if not said:
            self.stdout.write("nothing to do: Stripe has every price")
