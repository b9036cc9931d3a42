"""Raw files: what is published is what was measured, anybody may fetch it, and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test import Client
from touchstone.statement import parse_statement

from catalog.importing import ResultFile
from catalog.models import PackageVersion
from catalog.publishing import PublishingRefused, publish_version
from catalog.sources import read_source
from receipts.models import RawFile
from tests.catalog.importing import put, result
from tests.catalog.kits import build, names, refusal
from tests.catalog.reading import shown
from tests.people import signed_in

LARGEST = 16 << 20


@pytest.fixture
def folder(package_folder: Path) -> Path:
    """A package with one imported result."""
    put(package_folder, result("vllm-full"))
    return package_folder


@pytest.fixture
def measured(keys: None, folder: Path) -> PackageVersion:
    """That package, on sale."""
    return publish_version(folder=folder)[0]


def address(version: PackageVersion, sha256: str = result("vllm-full").sha256) -> str:
    return f"/packages/{version.package.slug}/{version.version}/raw/{sha256}/"


@pytest.mark.parametrize("who", ["stranger", "owner", "outsider"])
def test_anybody_may_fetch_the_bytes_that_were_measured(
    measured: PackageVersion, who: str, request: pytest.FixtureRequest
) -> None:
    client = Client() if who == "stranger" else signed_in(request.getfixturevalue(who))
    response = client.get(address(measured))
    assert response.status_code == 200
    assert response.content == result("vllm-full").raw
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == 'attachment; filename="vllm-full.json"'
    assert response["X-Content-Type-Options"] == "nosniff"


def test_the_etag_is_strong_and_of_the_bytes(measured: PackageVersion, client: Client) -> None:
    etag = client.get(address(measured))["ETag"]
    assert etag == f'"{result("vllm-full").sha256}"'
    again = client.get(address(measured), headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")


def test_lines_of_json_are_served_as_such(keys: None, package_folder: Path, client: Client) -> None:
    lines = ResultFile(name="runs.jsonl", raw=result("vllm-full").raw + b"\n")
    put(package_folder, lines)
    version, _ = publish_version(folder=package_folder)
    response = client.get(address(version, lines.sha256))
    assert response["Content-Type"] == "application/x-ndjson"


def test_a_file_that_the_version_does_not_list_is_not_served(
    measured: PackageVersion, client: Client
) -> None:
    other = b'{"of": "another version"}'
    sha256 = hashlib.sha256(other).hexdigest()
    RawFile.objects.create(sha256=sha256, content=other)
    assert client.get(address(measured, sha256)).status_code == 404
    assert client.get(address(measured, "0" * 64)).status_code == 404
    assert client.post(address(measured)).status_code == 405


def test_files_of_a_version_that_is_not_public_are_not_served(
    measured: PackageVersion, client: Client
) -> None:
    PackageVersion.objects.create(
        package=measured.package, version="9.0.0", data=measured.data, state="draft"
    )
    hidden = address(measured).replace(f"/{measured.version}/", "/9.0.0/")
    assert client.get(hidden).status_code == 404


def test_pages_list_the_files_with_what_was_supplied(
    measured: PackageVersion, client: Client
) -> None:
    receipt = measured.benchmark_receipt
    assert receipt is not None
    for page in (measured.get_absolute_url(), f"/receipts/{receipt.payload_sha256}/"):
        response = client.get(page)
        assert f'href="{address(measured)}"' in response.text
        text = shown(response)
        assert "vllm 0.21.0" in text
        assert "gpus 8, seed 7, tool-version 0.21.0" in text
        assert result("vllm-full").sha256 in text


def test_a_page_says_that_no_raw_file_was_published(
    published: PackageVersion, client: Client
) -> None:
    assert "No raw files were published." in shown(client.get(published.get_absolute_url()))


def test_the_receipt_names_tool_version_and_digest_of_each_file(measured: PackageVersion) -> None:
    assert measured.benchmark_receipt is not None
    definition: Any = parse_statement(measured.benchmark_receipt.payload).predicate["definition"]
    (file,) = definition["raw_files"]
    assert (file["tool"], file["tool_version"]) == ("vllm", "0.21.0")
    assert file["sha256"] == result("vllm-full").sha256
    assert file["sha256"] in {point.get("raw") for point in definition["serving_curve"]}


def test_a_kit_holds_no_raw_file(folder: Path, tmp_path: Path) -> None:
    (folder / "raw" / "more.json").write_text("{}")
    assert not [name for name in names(build(folder, tmp_path / "out")) if "raw" in name]


def test_a_file_with_other_bytes_is_refused_with_both_digests(folder: Path) -> None:
    (folder / "raw" / "vllm-full.json").write_text("{}")
    said = refusal(folder)
    assert said.startswith(f"raw_files[0].sha256: is {result('vllm-full').sha256}, but")
    assert hashlib.sha256(b"{}").hexdigest() in said


def relist(folder: Path, content: bytes) -> None:
    """Give the listed raw file other bytes, and the definition their digest."""
    (folder / "raw" / "vllm-full.json").write_bytes(content)
    path, digest = folder / "package.yaml", hashlib.sha256(content).hexdigest()
    path.write_text(path.read_text().replace(result("vllm-full").sha256, digest))


def _gone(folder: Path) -> None:
    (folder / "raw" / "vllm-full.json").unlink()


def _link(folder: Path) -> None:
    _gone(folder)
    (folder / "raw" / "vllm-full.json").symlink_to(folder / "withheld" / "serve-command.sh")


def _large(folder: Path) -> None:
    relist(folder, b" " * (LARGEST + 1))


def _key(folder: Path) -> None:
    relist(folder, b'{"backend": [{"api_key": "let me in"}]}')


def _key_in_lines(folder: Path) -> None:
    relist(folder, b'{"a": 1}\n{"headers": {"Authorization": "Bearer x"}}\n')


def _withheld(folder: Path) -> None:
    relist(folder, (folder / "withheld" / "serve-command.sh").read_bytes())


def _withheld_escaped(folder: Path) -> None:
    text = (folder / "withheld" / "serve-command.sh").read_text()
    relist(folder, json.dumps({"server_info": {"command": f"$ {text}"}}).encode())


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_gone, "no such file"),
        (_link, "links are refused"),
        (_large, "is larger than"),
        (_key, "holds a value of api_key"),
        (_key_in_lines, "holds a value of Authorization"),
        (_withheld, "which is withheld"),
        (_withheld_escaped, "which is withheld"),
    ],
)
def test_what_may_not_be_published_is_refused(
    folder: Path, spoil: Callable[[Path], None], said: str
) -> None:
    spoil(folder)
    assert said in refusal(folder)


def test_raw_files_are_part_of_what_a_version_is(
    measured: PackageVersion, folder: Path, tmp_path: Path
) -> None:
    source = read_source(folder=folder, destination=tmp_path, report=lambda _: None)
    assert source.content_sha256 == measured.content_sha256
    assert source.raw["raw/vllm-full.json"] == result("vllm-full").raw
    relist(folder, result("vllm-full").raw + b"\n")
    with pytest.raises(PublishingRefused):
        publish_version(folder=folder)
    assert RawFile.objects.count() == 1


def insert(sha256: str, content: bytes) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO receipts_rawfile (sha256, content, stored_at) VALUES (%s, %s, now())",
            [sha256, content],
        )


def test_postgres_holds_the_digest_to_the_bytes(db: None) -> None:
    insert(hashlib.sha256(b"{}").hexdigest(), b"{}")
    with pytest.raises(IntegrityError, match="receipts_rawfile_sha256_is_its_bytes"):
        insert("0" * 64, b"{}")
    large = b" " * (LARGEST + 1)
    with pytest.raises(IntegrityError, match="receipts_rawfile_is_at_most_16_mib"):
        insert(hashlib.sha256(large).hexdigest(), large)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE receipts_rawfile SET content = ''",
        "DELETE FROM receipts_rawfile",
        "TRUNCATE receipts_rawfile",
    ],
)
def test_a_stored_file_stays(measured: PackageVersion, statement: str) -> None:
    with (
        pytest.raises(DatabaseError, match=r"permission denied|append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


def test_one_file_of_two_versions_is_stored_once(measured: PackageVersion, folder: Path) -> None:
    path = folder / "package.yaml"
    path.write_text(path.read_text().replace("version: 1.0.0", "version: 1.0.1"))
    version, new = publish_version(folder=folder)
    assert new
    assert RawFile.objects.count() == 1
    assert Client().get(address(version)).status_code == 200
