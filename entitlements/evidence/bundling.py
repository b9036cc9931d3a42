"""The evidence of a purchase as one archive, which is checked without the store.

Equal rows give equal bytes. `touchstone verify --bundle` reads what this writes.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from django.template.loader import render_to_string
from touchstone.bundle import read_bundle
from touchstone.checksums import format_sums
from touchstone.envelope import parse_envelope
from touchstone.errors import TouchstoneError
from touchstone.keys import PublicKey
from touchstone.root import KEYS_TYPE, root_document

from catalog.kits.tarball import write_tarball
from entitlements.evidence.bundled_licences import licence_files, newer_signatures, receipt_files
from entitlements.evidence.recording import BundleTooLarge, downloads_files, payments_json
from entitlements.evidence.snapshot import one_moment
from entitlements.models import BuyerReceipt, Purchase
from receipts.keys import keys_document
from receipts.root import current_signed_keys


def bundle_name(purchase: Purchase) -> str:
    """The folder in the archive, and the archive's own name before its ending."""
    return f"evidence-{purchase.pk}"


def build_bundle(purchase: Purchase) -> bytes:
    """The archive of a paid purchase as it is now: gzip around ustar, dated by its payment.

    Raises BundleTooLarge for what `touchstone verify --bundle` would refuse to read.
    """
    with one_moment():
        files = bundle_files(purchase)
        day = purchase.entitlement.granted_at.date()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "bundle.tar.gz"
        write_tarball(path, root=bundle_name(purchase), files=files, day=day)
        try:
            read_bundle(path)
        except TouchstoneError as error:
            raise BundleTooLarge(str(error)) from error
        return path.read_bytes()


def bundle_files(purchase: Purchase) -> dict[str, bytes]:
    """Every file of the bundle by its name."""
    files = {
        "README.md": _readme(purchase),
        **licence_files(purchase),
        "payments.json": payments_json(purchase),
        **downloads_files(purchase),
        **_versions(purchase),
        **_keys(),
    }
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    return files | {"SHA256SUMS": format_sums(sums)}


def _versions(purchase: Purchase) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    newest: dict[int, BuyerReceipt] = {}
    for each in (
        BuyerReceipt.objects.filter(entitlement=purchase.entitlement)
        .select_related("version", "receipt__key", "benchmark_receipt__key")
        .prefetch_related("version__withheld")
    ):
        newest.setdefault(each.version_id, each)
    for row in newest.values():
        at = f"versions/{row.version.version}"
        files |= receipt_files(f"{at}/benchmark-receipt", row.benchmark_receipt)
        files |= receipt_files(f"{at}/buyer-receipt", row.receipt)
        for withheld in row.version.withheld.all():
            files[f"{at}/{withheld.name}.bound"] = bytes(withheld.salt) + bytes(withheld.content)
    return files


def _keys() -> dict[str, bytes]:
    files = {"keys.json": keys_document()}
    signed = current_signed_keys()
    if signed is not None:
        envelope = bytes(signed.envelope)
        files["keys.dsse.json"] = envelope
        files["keys.sig"] = parse_envelope(envelope, payload_type=KEYS_TYPE).signature
        files["root.json"] = root_document(signed.root)
        files["root.pem"] = PublicKey(signed.root).pem.encode()
    return files


def _readme(purchase: Purchase) -> bytes:
    context = {
        "purchase": purchase,
        "newer_terms": newer_signatures(purchase).exists(),
        "root_signed": current_signed_keys() is not None,
    }
    return render_to_string("entitlements/evidence/README.md", context).encode()
