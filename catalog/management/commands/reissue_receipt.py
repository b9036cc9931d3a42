from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog.models import PackageVersion
from catalog.reissuing import ReissuingRefused, reissue_receipt
from catalog.signing import KitNotAccepted
from catalog.storing import KitDamaged
from receipts.models import SigningKey
from receipts.private_keys import PrivateKeyError


class Command(BaseCommand):
    help = "Sign the very bytes of a version anew, after the key of its receipt was revoked."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the package")
        parser.add_argument("release", metavar="version")

    def handle(self, *args: Any, slug: str, release: str, **options: Any) -> None:
        version = PackageVersion.objects.filter(package__slug=slug, version=release).first()
        if version is None:
            raise CommandError(f"{slug} has no version {release}")
        try:
            receipt = reissue_receipt(version=version, report=self.stdout.write)
        except SigningKey.DoesNotExist:
            raise CommandError(
                "there is no active key for benchmark receipts: run `manage.py newkey`"
            ) from None
        except (ReissuingRefused, KitNotAccepted, KitDamaged, PrivateKeyError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{slug} {release} rests on receipt {receipt.payload_sha256} now")
