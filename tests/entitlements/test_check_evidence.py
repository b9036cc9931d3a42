"""`check_evidence`: silent about what holds, and exact about the first row that does not."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection

from catalog.models import Kit
from entitlements.evidence.checking import all_tables, check_evidence
from entitlements.evidence.walking import EvidenceBroken
from entitlements.models import Purchase
from tests.evidence import MODELS, tamper
from tests.shop import revoke

ELSEWHERE = "(SELECT id FROM licensing_licensedentity WHERE legal_name = 'Elsewhere AB')"
BENCHMARK = "(SELECT benchmark_receipt_id FROM catalog_packageversion)"
LICENCE = "WHERE kind = 'licence'"
# Table, what is set, and a part of what is said. Each is one row that somebody changed.
TAMPERED = [
    ("receipts_signingkey", "public_key = sha256('x')", "thumbprint"),
    ("receipts_signedkeys", "sequence = sequence + 1", "sequence"),
    ("receipts_signedkeys", "root_public_key = sha256('x')", "sign"),
    ("receipts_receipt", f"payload_sha256 = repeat('0', 64) {LICENCE}", "digest"),
    ("receipts_receipt", f"subject_sha256 = repeat('0', 64) {LICENCE}", "subject"),
    ("receipts_receipt", "envelope = overlay(envelope placing '0' from 40)", "altered"),
    ("receipts_rawfile", "content = 'x'", "digest"),
    ("catalog_kit", "size = size + 1", "size"),
    ("catalog_kit", "sums_sha256 = repeat('0', 64)", "another kit"),
    ("catalog_packageversion", "data = jsonb_set(data, '{summary}', '\"Twice as fast.\"')", "defi"),
    ("catalog_packageversion", "version = '1.0.1'", "another kit"),
    ("catalog_withheld", "content = 'x'", "binds"),
    ("catalog_withheld", "name = name || 'x'", "binds"),
    ("licensing_licenceterms", "body = body || 'x'", "digest"),
    ("licensing_licenceterms", "title = 'Free for all'", "title"),
    ("licensing_licencesignature", "signer_name = 'Eve'", "digest was made of"),
    ("licensing_licencesignature", "signed_at = signed_at - interval '1 day'", "made of"),
    ("licensing_licencesignature", "remote_address = NULL", "digest was made of"),
    ("licensing_licencesignature", "previous_digest = repeat('0', 64)", "chain"),
    ("licensing_licencereceipt", f"receipt_id = {BENCHMARK}", "is gone"),
    ("entitlements_purchase", "price_minor = 1", "price"),
    ("entitlements_purchase", f"entity_id = {ELSEWHERE}", "another entity"),
    ("entitlements_purchase", "state = 'pending', paid_at = NULL", "not paid"),
    ("entitlements_payment", "amount_minor = 1", "price"),
    ("entitlements_payment", "amount_minor = -1", "sign"),
    ("entitlements_payment", "currency = 'EUR'", "currency"),
    ("entitlements_payment", "received_at = received_at - interval '1 day'", "granted"),
    ("entitlements_entitlement", "granted_at = granted_at - interval '1 day'", "granted"),
    ("entitlements_entitlement", f"entity_id = {ELSEWHERE}", "entity"),
    ("entitlements_maintenanceperiod", "ends_at = ends_at + interval '9 years'", "first period"),
    ("entitlements_buyerreceipt", "receipt_id = benchmark_receipt_id", "is gone"),
    ("entitlements_buyerreceipt", "benchmark_receipt_id = receipt_id", "opens is no benchmark"),
    ("entitlements_download", "kit_sha256 = repeat('0', 64)", "digest"),
    ("entitlements_download", "at = at + interval '1 day' WHERE event = 'issued'", "issued before"),
    ("entitlements_download", "member_id = 0 WHERE event = 'started'", "issued before"),
]
# What is taken out, and the table of the row that is then named.
TAKEN = {
    "receipts_signingkey": "receipts_receipt",
    "receipts_receipt": "catalog_packageversion",
    "catalog_kit": "catalog_packageversion",
    "catalog_withheld": "catalog_packageversion",
    "licensing_licenceterms": "licensing_licencesignature",
    "licensing_licencesignature": "licensing_licencereceipt",
    "licensing_licencereceipt": "receipts_receipt",
    "entitlements_payment": "entitlements_entitlement",
    "entitlements_entitlement": "entitlements_maintenanceperiod",
    "entitlements_maintenanceperiod": "entitlements_entitlement",
    "entitlements_buyerreceipt": "receipts_receipt",
}


def keys_of(table: str) -> set[str]:
    with connection.cursor() as cursor:
        key = next(t.rows.model._meta.pk.column for t in all_tables() if t.name == table)
        cursor.execute(f"SELECT {key}::text FROM {table}")  # noqa: S608 -- the test's own names and values
        return {row[0] for row in cursor.fetchall()}


def test_every_evidence_table_is_walked() -> None:
    assert {model._meta.db_table for model in MODELS} <= {table.name for table in all_tables()}


def test_what_holds_is_counted(evidence: Purchase) -> None:
    said = StringIO()
    call_command("check_evidence", stdout=said)
    assert "        1  licensing_licencesignature" in said.getvalue()
    assert "        2  entitlements_download" in said.getvalue()
    assert said.getvalue().splitlines()[-1].startswith("Everything holds: ")


@pytest.mark.django_db(transaction=True)
def test_it_reads_one_moment_and_writes_nothing(evidence: Purchase) -> None:
    assert check_evidence(say=print)["entitlements_payment"] == 1


def test_it_says_how_far_it_has_come(evidence: Purchase) -> None:
    said: list[str] = []
    check_evidence(say=said.append, interval=0)
    assert "entitlements_download: 2 of 2" in said


def test_a_revoked_key_does_not_unmake_what_it_signed(evidence: Purchase) -> None:
    revoke("licence")
    assert check_evidence(say=print)["licensing_licencereceipt"] == 1


@pytest.mark.parametrize(("table", "change", "what"), TAMPERED)
def test_a_row_that_was_changed_is_named(
    as_owner: None, evidence: Purchase, outsider: Any, table: str, change: str, what: str
) -> None:
    tamper(table, f"UPDATE {table} SET {change}")  # noqa: S608 -- the test's own names and values
    with pytest.raises(EvidenceBroken, match=what) as broken:
        check_evidence(say=print)
    # Some rows are given away by the next one, which was held to them.
    beside = {
        "licensing_licencereceipt": "receipts_receipt",
        "entitlements_buyerreceipt": "receipts_receipt",
        "entitlements_payment": "entitlements_entitlement",
        "catalog_kit": "catalog_packageversion",
        "catalog_withheld": "catalog_packageversion",
    }
    assert broken.value.table in {table, beside.get(table)}
    assert str(broken.value.key) in keys_of(broken.value.table)


@pytest.mark.parametrize(("table", "named"), TAKEN.items())
def test_a_row_that_was_taken_out_is_missed(
    as_owner: None, evidence: Purchase, table: str, named: str
) -> None:
    tamper(table, f"DELETE FROM {table}")  # noqa: S608 -- the test's own names and values
    with pytest.raises(EvidenceBroken) as broken:
        check_evidence(say=print)
    assert broken.value.table == named


def test_the_command_ends_with_one_and_names_the_row(as_owner: None, evidence: Purchase) -> None:
    tamper("licensing_licencesignature", "UPDATE licensing_licencesignature SET signer_name = 'E'")
    with pytest.raises(CommandError) as ended:
        call_command("check_evidence", stdout=StringIO())
    assert ended.value.returncode == 1
    assert f"licensing_licencesignature {evidence.signature_id}: " in str(ended.value)


def test_a_kit_whose_stored_bytes_changed_is_named(evidence: Purchase) -> None:
    kit = Kit.objects.get()
    with storages["kits"].open(kit.path, "ab") as file:
        file.write(b"x")
    with pytest.raises(EvidenceBroken, match=f"catalog_kit {kit.sha256}: .* another digest"):
        check_evidence(say=print)


def test_a_function_that_lies_for_a_changed_row_is_seen_through(
    as_owner: None, evidence: Purchase
) -> None:
    tamper("licensing_licencesignature", "UPDATE licensing_licencesignature SET signer_name = 'E'")
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE OR REPLACE FUNCTION licensing_signature_digest("
            "row_ licensing_licencesignature) RETURNS text LANGUAGE sql AS 'SELECT row_.digest'"
        )
    with pytest.raises(EvidenceBroken, match="not what its digest was made of"):
        check_evidence(say=print)


@pytest.mark.parametrize(
    ("table", "change", "what"),
    [
        ("entitlements_proforma", "amount_minor = 1", "another amount"),
        ("entitlements_proforma", "currency = 'EUR'", "another amount"),
        ("entitlements_deskaction", "why = ''", "why"),
    ],
)
def test_a_changed_row_of_the_desk_is_named(
    as_owner: None, whole_evidence: Purchase, table: str, change: str, what: str
) -> None:
    tamper(table, f"UPDATE {table} SET {change}")  # noqa: S608 -- the test's own names and values
    with pytest.raises(EvidenceBroken, match=what) as broken:
        check_evidence(say=print)
    assert broken.value.table == table


@pytest.mark.parametrize("change", [f"entity_id = {ELSEWHERE}", "signature_id = {first}"])
def test_a_changed_binding_of_newer_terms_is_named(
    as_owner: None, whole_evidence: Purchase, outsider: Any, change: str
) -> None:
    assert check_evidence(say=print)["entitlements_additionalsignature"] == 1
    change = change.format(first=f"'{whole_evidence.signature_id}'")
    table = "entitlements_additionalsignature"
    tamper(table, f"UPDATE {table} SET {change}")  # noqa: S608 -- the test's own names and values
    with pytest.raises(EvidenceBroken, match=r"of another entity|was bought with") as broken:
        check_evidence(say=print)
    assert broken.value.table == table


def test_who_makes_the_chain_anew_is_given_away_by_the_receipt(
    as_owner: None, evidence: Purchase
) -> None:
    table = "licensing_licencesignature"
    tamper(table, f"UPDATE {table} SET signer_name = 'Eve'")  # noqa: S608 -- the test's own names and values
    tamper(table, f"UPDATE {table} SET digest = licensing_signature_digest({table})")  # noqa: S608 -- the test's own names and values
    with pytest.raises(EvidenceBroken, match="the signature differ in signer") as broken:
        check_evidence(say=print)
    assert broken.value.table == "licensing_licencereceipt"
