from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog.definition import DefinitionError
from catalog.kits import KitRefused
from catalog.publishing import PublishingRefused, publish_version
from catalog.signing import KitNotAccepted
from receipts.claims.checking import ClaimsRefused
from receipts.models import SigningKey
from receipts.private_keys import PrivateKeyError


class Command(BaseCommand):
    help = "Build, sign, verify, seal and publish the version that a package folder defines."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder that holds package.yaml")

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        try:
            version, new = publish_version(folder=folder, report=self.stdout.write)
        except SigningKey.DoesNotExist:
            raise CommandError(
                "there is no active key for benchmark receipts: run `manage.py newkey`"
            ) from None
        except (
            DefinitionError,
            ClaimsRefused,
            KitRefused,
            KitNotAccepted,
            PublishingRefused,
            PrivateKeyError,
        ) as error:
            raise CommandError(str(error)) from error
        if not new:
            self.stdout.write(
                f"{version.package.slug} {version.version} is {version.state} with this very "
                "content: nothing to do"
            )
