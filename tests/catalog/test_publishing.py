"""From a package folder to a version on sale: signed, verified, sealed, and only once."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from touchstone.cli import main
from touchstone.statement import parse_statement
from touchstone.verifying import verify_kit

from catalog.definition import DefinitionError
from catalog.kits import KitRefused
from catalog.models import Kit, Package, PackageVersion, Withheld
from catalog.publishing import PublishingRefused, publish_version
from catalog.signing import KitNotAccepted
from catalog.storing import KitDamaged, open_kit, store_kit
from receipts.keys import create_key, keys_document
from receipts.models import Receipt, SigningKey
from receipts.private_keys import key_path
from tests.catalog.kits import build
from tests.shop import SAMPLE, make_keys, retire


def edit(folder: Path, old: str, new: str) -> None:
    path = folder / "package.yaml"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def sealed(version: PackageVersion) -> tuple[Kit, Receipt]:
    assert version.kit is not None
    assert version.benchmark_receipt is not None
    return version.kit, version.benchmark_receipt


def test_a_published_version_has_its_kit_and_a_receipt_of_it(published: PackageVersion) -> None:
    kit, receipt = sealed(published)
    statement = parse_statement(receipt.payload)
    assert published.state == "published"
    assert [(s.name, s.sha256) for s in statement.subjects] == [
        ("kimi-k3-8xb300-1.0.0.tar.gz", kit.sha256),
        ("SHA256SUMS", kit.sums_sha256),
        ("weights/SHA256SUMS", kit.weights_sha256),
    ]
    assert statement.predicate["kit"] == {"name": published.kit_name, "size": kit.size}


@pytest.mark.parametrize("form", ["receipt.json", "receipt.sigstore.json"])
def test_the_buyers_own_command_accepts_what_was_published(
    published: PackageVersion, tmp_path: Path, form: str, client: Client
) -> None:
    address = f"/packages/kimi-k3-8xb300/1.0.0/{form}"
    kit, _ = sealed(published)
    with open_kit(kit) as file:
        (tmp_path / published.kit_name).write_bytes(file.read())
    (tmp_path / form).write_bytes(client.get(address).content)
    (tmp_path / "keys.json").write_bytes(client.get("/.well-known/touchstone/keys.json").content)
    names = [str(tmp_path / name) for name in (published.kit_name, form, "keys.json")]
    assert main(["verify", names[0], "--receipt", names[1], "--keys", names[2]]) == 0


def test_the_receipt_commits_to_what_is_withheld(published: PackageVersion) -> None:
    _, receipt = sealed(published)
    commitments = json.loads(receipt.payload)["predicate"]["commitments"]
    rows = list(Withheld.objects.all())
    assert {row.name for row in rows} == {"runtime_build_record", "serve_command"}
    for row in rows:
        digest = hashlib.sha256(bytes(row.salt) + bytes(row.content)).hexdigest()
        assert commitments[row.name]["digest"] == digest
        assert len(bytes(row.salt)) == 32
    assert len({bytes(row.salt) for row in rows}) == 2


def test_the_same_content_again_changes_nothing(
    published: PackageVersion, package_folder: Path
) -> None:
    again, new = publish_version(folder=package_folder)
    assert (again.pk, new) == (published.pk, False)
    counts = [model.objects.count() for model in (PackageVersion, Kit, Receipt)]
    assert counts == [1, 1, 1]


@pytest.mark.parametrize("file", ["story.md", "LIMITS.md", "withheld/serve-command.sh"])
def test_other_content_under_the_same_version_is_refused(
    published: PackageVersion, package_folder: Path, file: str
) -> None:
    path = package_folder / file
    path.write_text(path.read_text() + "\nOne more line.\n")
    with pytest.raises(PublishingRefused, match=r"version: 1\.0\.0 exists with other content"):
        publish_version(folder=package_folder)
    assert Receipt.objects.count() == 1


def test_another_figure_under_the_same_version_is_refused(
    published: PackageVersion, package_folder: Path
) -> None:
    edit(package_folder, "aggregate: 229.93", "aggregate: 229.94")
    with pytest.raises(PublishingRefused, match="Give the changed content a new version"):
        publish_version(folder=package_folder)


def test_a_new_version_stands_beside_the_old(
    published: PackageVersion, package_folder: Path
) -> None:
    edit(package_folder, "version: 1.0.0", "version: 1.1.0")
    second, new = publish_version(folder=package_folder)
    assert new
    assert [each.version for each in PackageVersion.on_sale()] == ["1.1.0", "1.0.0"]
    assert sealed(second)[0].sha256 != sealed(published)[0].sha256


@pytest.mark.parametrize("name", ["main", "v1.0", "a7a2217", "A" * 40])
def test_a_branch_or_tag_as_revision_is_refused_with_its_path(
    keys: None, package_folder: Path, name: str
) -> None:
    edit(package_folder, "a7a2217ef6b6ab43239f91ad76fa5bb21bbae4f4", name)
    with pytest.raises(DefinitionError, match=r"^upstream\.revision: must be a commit of 40"):
        publish_version(folder=package_folder)
    assert not Package.objects.exists()


def test_a_refused_kit_leaves_nothing_behind(keys: None, package_folder: Path) -> None:
    (package_folder / "deploy" / "batch" / "notes.txt").write_bytes(b"GGUF")
    with pytest.raises(KitRefused):
        publish_version(folder=package_folder)
    assert not Package.objects.exists()
    assert not Receipt.objects.exists()
    assert not storages["kits"].exists("sha256")


def test_a_kit_that_the_verifier_does_not_accept_is_not_sealed(
    keys: None, package_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("catalog.signing.keys_document", lambda: b'{"keys": []}')
    with pytest.raises(KitNotAccepted, match="the verifier does not accept this kit"):
        publish_version(folder=package_folder)
    assert not PackageVersion.objects.exists()
    assert not Receipt.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_publishers_at_once_make_one_version() -> None:
    make_keys()
    start = Barrier(2)

    def publish(_: int) -> tuple[int, bool]:
        try:
            start.wait(timeout=20)
            version, new = publish_version(folder=SAMPLE)
            return version.pk, new
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(publish, range(2)))
    assert len({pk for pk, _ in results}) == 1
    assert sorted(new for _, new in results) == [False, True]
    assert [model.objects.count() for model in (PackageVersion, Kit, Receipt)] == [1, 1, 1]


def test_the_command_says_what_it_did_and_then_that_nothing_is_to_do(
    keys: None, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("publish", SAMPLE)
    first = capsys.readouterr().out
    call_command("publish", SAMPLE)
    second = capsys.readouterr().out
    assert "verified kit and receipt as a buyer would" in first
    assert first.endswith("published kimi-k3-8xb300 1.0.0\n")
    assert second.endswith("is published with this very content: nothing to do\n")


def test_without_a_key_the_command_names_the_command_that_makes_one(db: None) -> None:
    with pytest.raises(CommandError, match=r"no active key for benchmark.*manage\.py newkey"):
        call_command("publish", SAMPLE)
    assert not PackageVersion.objects.exists()


@pytest.mark.parametrize("file", ["package.yaml", "README.md", "withheld/serve-command.sh"])
def test_a_missing_file_is_a_message_and_no_traceback(
    keys: None, package_folder: Path, file: str
) -> None:
    (package_folder / file).unlink()
    with pytest.raises(CommandError, match=file):
        call_command("publish", package_folder)


def test_a_missing_private_half_is_a_message_that_tells_where_it_was_sought(
    keys: None, package_folder: Path
) -> None:
    key_path(SigningKey.objects.get(purpose="benchmark").kid).unlink()
    with pytest.raises(CommandError, match=r"neither in TOUCHSTONE_KEY_BENCHMARK nor in .*\.pem"):
        call_command("publish", package_folder)
    assert not PackageVersion.objects.exists()


def test_a_damaged_or_missing_file_in_the_store_is_never_served(published: PackageVersion) -> None:
    kit, _ = sealed(published)
    path = Path(storages["kits"].path(kit.path))
    path.write_bytes(b"x" * kit.size)
    with pytest.raises(KitDamaged, match="another digest"):
        open_kit(kit)
    path.unlink()
    with pytest.raises(KitDamaged, match="not in the storage"):
        open_kit(kit)


def test_publishing_replaces_damaged_bytes_under_the_kits_digest(
    keys: None, package_folder: Path, tmp_path: Path
) -> None:
    built = build(package_folder, tmp_path / "out")
    place = store_kit(built.path, sha256=built.sha256)
    path = Path(storages["kits"].path(place))
    path.write_bytes(b"left by a full disk")
    kit, _ = sealed(publish_version(folder=package_folder)[0])
    assert kit.path == place
    assert path.read_bytes() == built.path.read_bytes()


def test_old_receipts_verify_after_the_key_was_retired(published: PackageVersion) -> None:
    retire("benchmark")
    create_key(purpose="benchmark")
    kit, receipt = sealed(published)
    path = Path(storages["kits"].path(kit.path))
    named = path.with_name(published.kit_name)
    path.rename(named)
    checked = verify_kit(kit=named, receipt=bytes(receipt.envelope), keys=keys_document())
    assert checked.exit_code == 0
