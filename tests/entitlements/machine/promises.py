"""The promises as questions in raw SQL, which share no line with the product."""

from __future__ import annotations

from typing import Any

from django.db import connection, transaction

from tests.evidence import TABLES, key_of

# Each finds the rows that break a promise; none may be found.
BREACHES = {
    "1: an entitlement without a signature of its entity and package": """
        SELECT e.id FROM entitlements_entitlement e
        LEFT JOIN licensing_licencesignature s ON s.id = e.signature_id
            AND s.entity_id = e.entity_id AND s.package_id = e.package_id
            AND s.authority_affirmed AND s.redistribution_affirmed AND s.resale_affirmed
            AND s.traceability_affirmed AND s.responsibility_affirmed AND s.consent_given
        LEFT JOIN licensing_licenceterms t ON t.id = s.terms_id AND t.body = s.terms_body
            AND t.sha256 = s.terms_sha256 AND t.sha256 = encode(sha256(t.body), 'hex')
        LEFT JOIN entitlements_purchase p ON p.id = e.purchase_id AND p.signature_id = s.id
            AND p.entity_id = e.entity_id AND p.version_id = e.version_id
        WHERE t.id IS NULL OR p.id IS NULL""",
    "1: a signature that binds two things": """
        SELECT signature_id FROM (SELECT signature_id FROM entitlements_purchase UNION ALL
            SELECT signature_id FROM entitlements_additionalsignature) uses
        GROUP BY signature_id HAVING count(*) > 1""",
    "1: newer terms signed by another entity": """
        SELECT a.id FROM entitlements_additionalsignature a
        JOIN entitlements_entitlement e ON e.id = a.entitlement_id
        JOIN licensing_licencesignature s ON s.id = a.signature_id
        WHERE (e.entity_id, e.package_id) <> (s.entity_id, s.package_id)""",
    "2: money without all that it brings, or that without money": """
        SELECT id, paid, payments, entitlements, periods, receipts FROM (
            SELECT p.id, (p.state = 'paid')::int paid,
                (SELECT count(*) FROM entitlements_payment y WHERE y.purchase_id = p.id) payments,
                (SELECT count(*) FROM entitlements_entitlement e
                    JOIN entitlements_payment y ON y.id = e.payment_id
                        AND y.amount_minor - y.tax_minor = p.price_minor + p.maintenance_minor
                        AND y.currency = p.currency
                    WHERE e.purchase_id = p.id) entitlements,
                (SELECT count(*) FROM entitlements_maintenanceperiod m
                    JOIN entitlements_entitlement e ON e.id = m.entitlement_id
                        AND m.payment_id = e.payment_id
                    WHERE e.purchase_id = p.id) periods,
                (SELECT count(DISTINCT e.id) FROM entitlements_buyerreceipt b
                    JOIN entitlements_entitlement e ON e.id = b.entitlement_id
                        AND b.version_id = e.version_id
                    WHERE e.purchase_id = p.id) receipts
            FROM entitlements_purchase p) sums
        WHERE (least(payments, 1), entitlements, periods, receipts)
            IS DISTINCT FROM (paid, paid, paid, paid)""",
    "2: more was given back than came": """
        SELECT c.id FROM entitlements_payment c JOIN entitlements_payment m ON m.charge_id = c.id
            AND m.purchase_id = c.purchase_id AND m.kind IN ('refund', 'refund_failed')
        GROUP BY c.id HAVING c.amount_minor + sum(m.amount_minor) < 0""",
    "2: money in another currency": """
        SELECT y.id FROM entitlements_payment y JOIN entitlements_purchase p
            ON p.id = y.purchase_id WHERE p.currency <> y.currency""",
    "4: the chain of signatures is broken": """
        SELECT id FROM (SELECT s.*, lag(s.digest, 1, '') OVER (ORDER BY position) before,
                encode(sha256(convert_to((to_jsonb(s) - 'digest')::text, 'UTF8')), 'hex') own
            FROM licensing_licencesignature s) chain
        WHERE previous_digest <> before OR digest <> own""",
}
FINGERPRINT = "SELECT '{table}', {key}::text, sha256(convert_to(t::text, 'UTF8')) FROM {table} t"
FINGERPRINTS = " UNION ALL ".join(
    FINGERPRINT.format(table=table, key=key_of(table)) for table in TABLES
)
COUNT = "SELECT '{table}', count(*) FROM {table}"
COUNTS = {
    "licensing_licenceterms": "texts",
    "licensing_licencesignature": "signed",
    "licensing_licencereceipt": "signed",
    "licensing_licensedentity": "houses",
    "entitlements_purchase": "sales",
    "catalog_packageversion": "offers",
}
Row = tuple[str, str]


def ask(sql: str) -> list[Any]:
    """All rows of an answer."""
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def commit_would_pass() -> None:
    """Have Postgres check now what it checks at a commit, then defer it again."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")


@transaction.atomic
def breaches() -> dict[str, list[Any]]:
    """The promises that are broken, each with its rows."""
    with connection.cursor() as cursor:
        # As when the chain's digests were made.
        cursor.execute("SET LOCAL timezone = 'UTC'; SET LOCAL bytea_output = 'hex'")
    return {name: rows for name, sql in BREACHES.items() if (rows := ask(sql))}


def fingerprints() -> dict[Row, bytes]:
    """Every row of evidence, by table and key, with a digest of all that it says."""
    return {(table, key): bytes(digest) for table, key, digest in ask(FINGERPRINTS)}


def counts() -> dict[str, int]:
    """How many rows there are of what the model lists."""
    return dict(ask(" UNION ALL ".join(COUNT.format(table=table) for table in COUNTS)))


def kept() -> dict[str, int]:
    """What is left of each purchase's money, in minor units."""
    return dict(
        ask(
            "SELECT purchase_id::text, sum(amount_minor)::bigint FROM entitlements_payment"
            " GROUP BY purchase_id"
        )
    )


def signed_kits() -> dict[int, str]:
    """The digest that each version's receipt is about, read from the signed bytes."""
    return dict(
        ask(
            """SELECT v.id, convert_from(decode(convert_from(r.envelope, 'UTF8')::jsonb
                ->> 'payload', 'base64'), 'UTF8')::jsonb #>> '{subject,0,digest,sha256}'
            FROM catalog_packageversion v
            JOIN receipts_receipt r ON r.id = v.benchmark_receipt_id"""
        )
    )


def receipts_that_hold() -> set[tuple[str, int]]:
    """Purchase and version of each buyer receipt by a key that holds, about today's receipt."""
    rows = ask(
        """SELECT e.purchase_id::text, b.version_id FROM entitlements_buyerreceipt b
        JOIN entitlements_entitlement e ON e.id = b.entitlement_id
        JOIN receipts_receipt r ON r.id = b.receipt_id
        JOIN receipts_signingkey k ON k.kid = r.key_id AND k.status <> 'revoked'
        JOIN catalog_packageversion v ON v.id = b.version_id
            AND v.benchmark_receipt_id = b.benchmark_receipt_id"""
    )
    return set(rows)


def change(statement: str) -> None:
    """Run it, and what Postgres would check at its commit."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
