"""The evidence of a purchase: who may take it, what is in it, and that it needs nobody to check."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from entitlements.evidence.bundling import build_bundle
from entitlements.models import Download, Purchase
from licensing.models import LicensedEntity, Member, User
from receipts.keys import keys_document
from tests.entitlements.bundles import unpack
from tests.people import make_user, signed_in


def address(purchase: Purchase) -> str:
    return reverse("entitlements:evidence", args=[purchase.pk])


@pytest.fixture
def signer(entity: LicensedEntity) -> User:
    """Who may sign for the entity, and owns nothing of it."""
    user = make_user("sofia@meridian.example", name="Sofia Lind")
    Member.objects.create(entity=entity, user=user, role=Member.Role.SIGNER)
    return user


@pytest.fixture
def finance(db: None) -> User:
    """Staff that may read payments, and has no other right."""
    user = make_user("fay@store.example", staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_payment"))
    return user


@pytest.mark.parametrize("person", ["owner", "signer", "finance"])
def test_who_binds_the_entity_and_finance_take_it(
    bought: Purchase, person: str, request: pytest.FixtureRequest
) -> None:
    answer = signed_in(request.getfixturevalue(person)).get(address(bought))
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/gzip"
    assert f'filename="evidence-{bought.pk}.tar.gz"' in answer["Content-Disposition"]
    assert "no-store" in answer["Cache-Control"]
    assert unpack(answer.content)[0] == f"evidence-{bought.pk}"


def test_an_engineer_is_refused_and_is_shown_no_button(
    bought: Purchase, team_mate: User, owner: User
) -> None:
    assert signed_in(team_mate).get(address(bought)).status_code == 403
    assert address(bought) not in signed_in(team_mate).get(bought.get_absolute_url()).text
    assert address(bought) in signed_in(owner).get(bought.get_absolute_url()).text


def test_staff_without_the_right_and_finance_that_left_find_nothing(
    bought: Purchase, finance: User
) -> None:
    clerk = make_user("cleo@store.example", staff=True)
    assert signed_in(clerk).get(address(bought)).status_code == 404
    finance.is_staff = False
    finance.save()
    assert signed_in(finance).get(address(bought)).status_code == 404


def test_a_purchase_that_is_not_paid_has_no_evidence(pending: Purchase, owner: User) -> None:
    assert signed_in(owner).get(address(pending)).status_code == 404


def test_the_record_of_the_signature_is_what_its_digest_was_made_of(bought: Purchase) -> None:
    _, files = unpack(build_bundle(bought))
    digest = hashlib.sha256(files["signature.json"]).hexdigest()
    assert digest == bought.signature.digest
    assert json.loads(files["signature.json"])["signer_name"] == "Ada Okafor"
    assert hashlib.sha256(files["terms.md"]).hexdigest() == bought.signature.terms_sha256


def test_it_holds_the_log_twice_the_payments_and_the_keys(evidence: Purchase) -> None:
    _, files = unpack(build_bundle(evidence))
    log = json.loads(files["downloads.json"])
    assert [row["event"] for row in log] == ["issued", "started"]
    table = list(csv.DictReader(io.StringIO(files["downloads.csv"].decode())))
    assert [row["link"] for row in table] == [row["link"] for row in log]
    [payment] = json.loads(files["payments.json"])["payments"]
    assert payment["amount_minor"] == evidence.total_minor
    assert files["keys.json"] == keys_document()
    assert {"keys.dsse.json", "root.json"} <= files.keys()


def test_equal_rows_give_equal_bytes_and_another_row_gives_others(evidence: Purchase) -> None:
    first = build_bundle(evidence)
    assert build_bundle(evidence) == first
    row = Download.objects.get(event=Download.Event.ISSUED)
    row.pk, row.event, row._state.adding = None, Download.Event.DENIED, True
    row.save()
    assert build_bundle(evidence) != first


@pytest.fixture
def folder(evidence: Purchase, tmp_path: Path) -> Path:
    """The bundle, unpacked."""
    return unpacked(evidence, tmp_path)


def unpacked(purchase: Purchase, into: Path) -> Path:
    root, files = unpack(build_bundle(purchase))
    for name, content in files.items():
        path = into / root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return into / root


def run_readme(folder: Path) -> list[str]:
    text = (folder / "README.md").read_text()
    commands = "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    ended = subprocess.run(
        ["sh", "-c", commands], cwd=folder, capture_output=True, text=True, check=False
    )
    return (ended.stdout + ended.stderr).splitlines()


@pytest.fixture
def agreed_folder(whole_evidence: Purchase, tmp_path: Path) -> Path:
    """The same with newer terms in it."""
    return unpacked(whole_evidence, tmp_path)


needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")


@needs_openssl
def test_a_stranger_checks_it_with_openssl_and_sha256sum(folder: Path) -> None:
    said = run_readme(folder)
    assert [line for line in said if "FAILED" in line] == []
    assert said.count("Signature Verified Successfully") == 4
    assert len([line for line in said if " names " in line and line.endswith(": OK")]) == 7
    assert re.fullmatch(r"[0-9a-f]{64}  -", said[-1])
    assert json.loads((folder / "root.json").read_text())["fingerprint"] == said[-1][:64]


@needs_openssl
@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("terms.md", "licence-receipt.payload names terms.md: FAILED"),
        ("signature.json", "licence-receipt.payload names signature.json: FAILED"),
        ("payments.json", "payments.json: FAILED"),
        ("licence-receipt.payload", "Signature Verification Failure"),
        ("versions/1.0.0/serve_command.bound", "serve_command.bound: FAILED"),
        ("keys.json", "Signature Verification Failure"),
    ],
)
def test_a_stranger_sees_what_was_altered(folder: Path, file: str, line: str) -> None:
    (folder / file).write_bytes((folder / file).read_bytes().replace(b"e", b"E", 1) + b"\n")
    assert [said for said in run_readme(folder) if said.endswith(line)]


@needs_openssl
def test_a_stranger_checks_newer_terms_too(agreed_folder: Path) -> None:
    said = run_readme(agreed_folder)
    assert [line for line in said if "FAILED" in line] == []
    assert said.count("Signature Verified Successfully") == 5
    assert len([line for line in said if " names " in line and line.endswith(": OK")]) == 9
    assert len([line for line in said if " has " in line and line.endswith(": OK")]) == 2


@needs_openssl
@pytest.mark.parametrize(
    ("file", "old", "line"),
    [
        ("terms.md", b"e", "licence-receipt.payload names {at}/terms.md: FAILED"),
        ("signature.json", b"e", "licence-receipt.payload names {at}/signature.json: FAILED"),
        ("licence-receipt.payload", b"e", "Signature Verification Failure"),
        (
            "licence-receipt.payload",
            b'"entity": {"id": "',
            'has another "entity": {{"id": "[^"]*": FAILED',
        ),
        ("licence-receipt.payload", b'"package": "', 'has another "package": "[^"]*": FAILED'),
    ],
)
def test_a_stranger_sees_what_was_altered_in_newer_terms(
    agreed_folder: Path, file: str, old: bytes, line: str
) -> None:
    [path] = agreed_folder.glob(f"newer-terms/*/{file}")
    path.write_bytes(path.read_bytes().replace(old, old + b"0", 1))
    at = path.parent.relative_to(agreed_folder)
    assert [said for said in run_readme(agreed_folder) if said.endswith(line.format(at=at))]
