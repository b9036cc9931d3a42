"""What `check_evidence` says of rows that were changed so that others still agree with them."""

# ruff: noqa: S608 -- the statements are made of the test's own names and values
from __future__ import annotations

from pathlib import Path

import pytest

from catalog.publishing import publish_version
from entitlements.buyer_receipts import ensure_buyer_receipt
from entitlements.evidence.checking import check_evidence
from entitlements.evidence.walking import EvidenceBroken
from entitlements.models import Purchase
from entitlements.purchasing import open_purchase
from licensing.models import User
from tests.evidence import tamper
from tests.shop import next_version, sign

SIGNATURE, PURCHASE = "licensing_licencesignature", "entitlements_purchase"
PAYMENT, ENTITLEMENT = "entitlements_payment", "entitlements_entitlement"
PERIOD, BUYERS = "entitlements_maintenanceperiod", "entitlements_buyerreceipt"
RECEIPT, LICENCE, LOG = "receipts_receipt", "licensing_licencereceipt", "entitlements_download"
VERSION = "catalog_packageversion"
OTHER = "(SELECT id FROM catalog_package WHERE slug = 'other')"
LATER = f"(SELECT id FROM {VERSION} WHERE version = '1.1.0')"
FIRST = f"(SELECT id FROM {VERSION} WHERE version = '1.0.0')"
OTHERS = f"(SELECT id FROM {VERSION} WHERE version = '2.0.0')"
UNPAID = f"(SELECT id FROM {PURCHASE} WHERE state = 'pending')"
REFUND = "00000000-0000-4000-8000-000000000000"

Steps = list[tuple[str, str]]


def change(table: str, what: str) -> tuple[str, str]:
    return table, f"UPDATE {table} SET {what}"


def delete(table: str, which: str = "true") -> tuple[str, str]:
    return table, f"DELETE FROM {table} WHERE {which}"


def add(table: str, values: str, which: str = "true") -> tuple[str, str]:
    """A copy of a row with other values."""
    copy = f"SELECT (jsonb_populate_record(row_, jsonb_build_object({values}))).*"
    return table, f"INSERT INTO {table} {copy} FROM {table} row_ WHERE {which}"


def resigned(what: str) -> Steps:
    """A change of the signature, whose digest was made anew by the database's own function."""
    anew = f"digest = licensing_signature_digest({SIGNATURE})"
    return [change(SIGNATURE, what), change(SIGNATURE, anew)]


def refunded(amount: int) -> tuple[str, str]:
    kind = "'kind', 'refund', 'reference', 'r', 'charge_id', row_.id, 'tax_minor', 0"
    return add(PAYMENT, f"'id', '{REFUND}', {kind}, 'amount_minor', {amount}")


BROKEN: dict[str, Steps] = {
    "family: one line must be": [
        change("licensing_licenceterms", "body = '# x', sha256 = encode(sha256('# x'), 'hex')")
    ],
    "the digest of the terms is not of the text as signed": resigned("terms_body = 'x'"),
    "it signs another text than the published one": resigned(
        "terms_body = 'x', terms_sha256 = encode(sha256('x'), 'hex')"
    ),
    "the affirmation resale is no sentence of the text": resigned("resale_text = 'Sell it.'"),
    "the affirmation resale is not marked": resigned("resale_affirmed = false"),
    "the authority or the consent is not marked": resigned("consent_given = false"),
    "its licence receipt is gone": [delete(LICENCE), delete(RECEIPT, "kind = 'licence'")],
    "its signature is of another entity or package": [change(PURCHASE, f"package_id = {OTHER}")],
    "its version is of another package": [
        change(PURCHASE, f"version_id = {OTHERS} WHERE state = 'paid'")
    ],
    "its receipt is no licence receipt": [
        change(
            LICENCE,
            f"receipt_id = (SELECT receipt_id FROM {BUYERS} LIMIT 1)"
            f" WHERE id = (SELECT min(id) FROM {LICENCE})",
        ),
        delete(RECEIPT, f"kind = 'licence' AND id NOT IN (SELECT receipt_id FROM {LICENCE})"),
    ],
    "it is paid without an entitlement": [
        change(PURCHASE, f"state = 'paid', paid_at = now() WHERE id = {UNPAID}")
    ],
    "its purchase is not paid": [
        add(PAYMENT, f"'id', '{REFUND}', 'reference', 'r', 'purchase_id', {UNPAID}")
    ],
    "it is a refund of no charge": [refunded(-1), change(PAYMENT, "charge_id = NULL")],
    "more was refunded than was paid": [refunded(-(10**12))],
    "its signature is not its purchase's": [
        change(
            ENTITLEMENT, f"signature_id = (SELECT signature_id FROM {PURCHASE} WHERE id = {UNPAID})"
        )
    ],
    "its package is not its purchase's": [change(ENTITLEMENT, f"package_id = {OTHER}")],
    "its version is not its purchase's": [change(ENTITLEMENT, f"version_id = {LATER}")],
    "entitlements_entitlement .* its payment is no charge of its purchase": [
        refunded(-1),
        change(ENTITLEMENT, f"payment_id = '{REFUND}'"),
    ],
    "its buyer receipt is gone": [
        delete(RECEIPT, f"id IN (SELECT receipt_id FROM {BUYERS} WHERE version_id = {FIRST})"),
        delete(BUYERS, f"version_id = {FIRST}"),
    ],
    "entitlements_maintenanceperiod .* its payment is no charge of its purchase": [
        refunded(-1),
        add(PERIOD, f"'id', 0, 'payment_id', '{REFUND}'"),
    ],
    "it ends before it begins": [
        add(PAYMENT, f"'id', '{REFUND}', 'reference', 'r'"),
        add(PERIOD, f"'id', 0, 'payment_id', '{REFUND}', 'ends_at', starts_at"),
    ],
    "its version has no kit, or is of another package": [
        change(BUYERS, f"version_id = {OTHERS} WHERE version_id = {LATER}"),
    ],
    "the receipt is of another kit": [
        change(BUYERS, f"version_id = {FIRST} WHERE version_id = {LATER}")
    ],
    "the receipt and the rows differ in granted_at": [
        change(ENTITLEMENT, "granted_at = granted_at - interval '1 hour'"),
        change(PAYMENT, "received_at = received_at - interval '1 hour'"),
        change(PURCHASE, "paid_at = paid_at - interval '1 hour'"),
        change(
            PERIOD,
            f"starts_at = (SELECT received_at FROM {PAYMENT}),"
            f" ends_at = (SELECT received_at FROM {PAYMENT}) + interval '1 month'",
        ),
    ],
    "it is published without a kit or a benchmark receipt": [change(VERSION, "kit_id = NULL")],
    "its receipt is no benchmark receipt": [
        change(VERSION, f"benchmark_receipt_id = (SELECT receipt_id FROM {BUYERS} LIMIT 1)")
    ],
    "receipts_signedkeys .* the digest is not of its bytes": [
        change("receipts_signedkeys", "payload_sha256 = repeat('0', 64)")
    ],
    "the root signed key .* for licence, and it is gone": [
        change("receipts_signingkey", "purpose = 'x' WHERE purpose = 'licence'")
    ],
    "it is of no entitlement": [change(LOG, "entitlement_id = NULL")],
    "no version with a kit": [change(LOG, "version_id = NULL")],
    "its version is of another package than its ent": [change(LOG, f"version_id = {OTHERS}")],
    "it was completed and never started": [
        add(LOG, "'id', 10^9, 'event', 'completed'", "event = 'issued'"),
        delete(LOG, "event = 'started'"),
    ],
    "what was sent is not the size of the kit": [
        add(LOG, "'id', 10^9, 'event', 'completed', 'bytes_sent', 1", "event = 'issued'")
    ],
}


@pytest.fixture
def shop(evidence: Purchase, owner: User, outsider: User, package_folder: Path) -> Purchase:
    """The evidence, an unpaid purchase, a later version, and one of another package."""
    signature = sign(
        account=owner,
        version=evidence.version,
        entity=evidence.entity,
        terms=evidence.signature.terms,
    )
    open_purchase(signature=signature, buyer=owner)
    ensure_buyer_receipt(entitlement=evidence.entitlement, version=next_version(package_folder))
    path = package_folder / "package.yaml"
    path.write_text(path.read_text().replace("slug: kimi-k3-8xb300", "slug: other"))
    path.write_text(path.read_text().replace("version: 1.1.0", "version: 2.0.0"))
    publish_version(folder=package_folder)
    return evidence


@pytest.mark.parametrize("said", BROKEN)
def test_it_is_named(as_owner: None, shop: Purchase, said: str) -> None:
    for table, sql in BROKEN[said]:
        tamper(table, sql)
    with pytest.raises(EvidenceBroken, match=said):
        check_evidence(say=print)


def test_a_shop_of_two_packages_holds(shop: Purchase) -> None:
    assert check_evidence(say=print)["entitlements_buyerreceipt"] == 2
