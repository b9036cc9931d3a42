from typing import Any

from django.core.management.base import BaseCommand, CommandError

from entitlements.evidence.checking import check_evidence
from entitlements.evidence.walking import EvidenceBroken


class Command(BaseCommand):
    help = (
        "Walk all evidence: digests, signatures, the chain, receipts, kits, and what binds them. "
        "Names the first row that does not hold, and ends with 1."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            counts = check_evidence(say=self.stderr.write)
        except EvidenceBroken as broken:
            raise CommandError(f"does not hold: {broken}") from None
        for table, rows in counts.items():
            self.stdout.write(f"{rows:>9}  {table}")
        self.stdout.write(f"Everything holds: {sum(counts.values())} rows.")
