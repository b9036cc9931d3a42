"""The SQL of one completion as a pgbench script: the same statements, numbered values."""

from __future__ import annotations

import base64
from uuid import UUID

from django.db import connection
from django.test.utils import CaptureQueriesContext

from bench.completions.store import FIRST
from bench.completions.work import complete
from entitlements.models import Payment, Purchase
from receipts.models import Receipt

FRAME = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE SAVEPOINT")
# Each client counts in a range of its own, and each transaction takes the next number.
COUNTING = (
    r"\set i :i + 1",
    rf"\set n {FIRST} + :base + :client_id * :share + :i",
)


def record(number: int) -> tuple[str, int]:
    """Complete a purchase, and return its statements as a script, and how many they are."""
    with CaptureQueriesContext(connection) as captured:
        complete(number)
    work = [each["sql"] for each in captured.captured_queries]
    work = [each for each in work if not each.startswith(FRAME)]
    names = _names(number)
    lines = [_numbered(each, names) for each in work]
    return "\n".join([*COUNTING, "BEGIN;", *lines, "COMMIT;", ""]), len(work)


def _names(number: int) -> dict[str, str]:
    # What is one purchase's own, and what stands for it by number. Rows get a letter each.
    payment = Payment.objects.get(reference=f"in_{FIRST + number}")
    purchase = Purchase.objects.select_related("entitlement").get(pk=payment.purchase_id)
    names = {f"in_{FIRST + number}": "in_:n"}
    rows = {
        "a": purchase.signature_id,
        "b": purchase.pk,
        "c": payment.pk,
        "d": purchase.entitlement.pk,
    }
    for letter, key in rows.items():
        names |= _both_forms(key, letter)
    receipt = purchase.entitlement.buyer_receipts.get().receipt
    return {**_receipt(receipt), **names, f", {receipt.pk})": ", :r_id)"}


def _receipt(receipt: Receipt) -> dict[str, str]:
    # Postgres holds a receipt's digest to its bytes, so that each needs bytes of its own: the
    # payload as text, in which the purchase's number is put, encoded as the envelope has it.
    envelope = bytes(receipt.envelope)
    encoded = base64.b64encode(receipt.payload).decode()
    before, _, after = envelope.decode().partition(encoded)
    payload = f"convert_to({_text(receipt.payload.decode())}, 'UTF8')"
    encode = f"translate(encode({payload}, 'base64'), E'\\n', '')"
    whole = f"convert_to({_text(before)} || {encode} || {_text(after)}, 'UTF8')"
    return {
        rf"'\x{envelope.hex()}'": whole,
        f"'{receipt.payload_sha256}'": f"encode(sha256({payload}), 'hex')",
    }


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _both_forms(key: UUID, letter: str) -> dict[str, str]:
    return {
        str(key): f"{letter}0000000-0000-4000-8000-:n",
        key.hex: f"{letter}0000000000040008000:n",
    }


def _numbered(statement: str, names: dict[str, str]) -> str:
    line = statement.replace("\n", " ")
    for own, name in names.items():
        line = line.replace(own, name)
    return line + (r" \gset r_" if 'INTO "receipts_receipt"' in line else ";")
