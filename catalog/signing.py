"""Signing what a version says, and checking kit and receipt as a buyer would."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from touchstone.statement import BENCHMARK_RECEIPT
from touchstone.verifying import verify_kit

from catalog.definition import Definition
from catalog.kits import BuiltKit
from catalog.statements import benchmark_predicate, commitment, kit_subjects
from receipts.claims.figures import Finding
from receipts.keys import keys_document
from receipts.models import Receipt
from receipts.signing import sign_receipt


class KitNotAccepted(Exception):
    """The verifier refuses the kit with its new receipt; the message is its report."""


@dataclass(frozen=True, kw_only=True)
class Secret:
    """What a version withholds, and the salt of its commitment."""

    salt: bytes
    content: bytes


def sign_benchmark_receipt(
    *,
    definition: Definition,
    kit: BuiltKit,
    findings: tuple[Finding, ...],
    withheld: Mapping[str, Secret],
    replaces: Receipt | None = None,
) -> Receipt:
    """Sign a version's receipt, which the verifier then accepts together with the kit's bytes.

    Raises KitNotAccepted, SigningKey.DoesNotExist, PrivateKeyError.
    """
    receipt = sign_receipt(
        kind=Receipt.Kind.BENCHMARK,
        subjects=kit_subjects(
            name=kit.name, kit=kit.sha256, sums=kit.sums_sha256, weights=kit.weights_sha256
        ),
        predicate_type=BENCHMARK_RECEIPT,
        predicate=benchmark_predicate(
            definition=definition,
            kit=kit,
            findings=findings,
            commitments={
                name: commitment(salt=secret.salt, content=secret.content)
                for name, secret in withheld.items()
            },
            replaces=replaces.payload_sha256 if replaces else None,
        ),
    )
    checked = verify_kit(kit=kit.path, receipt=bytes(receipt.envelope), keys=keys_document())
    if checked.exit_code != 0:
        raise KitNotAccepted(f"the verifier does not accept this kit:\n{checked.as_text()}")
    return receipt
