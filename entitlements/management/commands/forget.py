from typing import Any

from django.core.management.base import BaseCommand

from entitlements.forgetting import forget_old


class Command(BaseCommand):
    help = "Delete what is old and no evidence, as the worker does every hour."

    def handle(self, *args: Any, **options: Any) -> None:
        for kind, number in forget_old().items():
            self.stdout.write(f"{kind}: {number} deleted")
