from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from licensing.publishing_terms import TermsAreFinal, publish_terms
from licensing.terms_text import TermsError


class Command(BaseCommand):
    help = "Publish licence terms: the exact bytes of a file under licences/."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path)

    def handle(self, *args: Any, path: Path, **options: Any) -> None:
        try:
            terms, new = publish_terms(path=path)
        except (TermsError, TermsAreFinal, OSError) as error:
            raise CommandError(f"{path}: {error}") from error
        state = "published" if new else "is published already"
        self.stdout.write(f"{terms} {state}, sha256 {terms.sha256}")
