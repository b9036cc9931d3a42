from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from config.schemas import documents


class Command(BaseCommand):
    help = "Write the JSON Schemas of receipts and definitions to docs/schemas, from the code."

    def handle(self, *args: Any, **options: Any) -> None:
        for path, text in documents():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            self.stdout.write(f"docs/schemas/{path.name}")
