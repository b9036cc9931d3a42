"""What no kit may hold is refused with the file's name and the rule."""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import zipfile
from pathlib import Path

import pytest

from catalog.kits import KitRefused, read_file
from catalog.kits.reading import MOST_BYTES, refuse_collisions
from catalog.kits.refusals import WEIGHT_ENDINGS
from tests.catalog.kits import build, refusal

PLACE = "deploy/interactive/notes.txt"
COMPOSE = "deploy/interactive/compose.yaml"


def put(folder: Path, content: bytes, name: str = PLACE) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def safetensors() -> bytes:
    header = json.dumps({"w": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}}).encode()
    return len(header).to_bytes(8, "little") + header + b"abcd"


def torch_archive() -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("archive/data.pkl", b"x")
    return raw.getvalue()


def noise(size: int = 65536) -> bytes:
    return random.Random(3).randbytes(size)  # noqa: S311 -- reproducible, no secret


WEIGHTS = {
    "safetensors": safetensors(),
    "GGUF": b"GGUF\x03\x00\x00\x00",
    "GGML": (0x67676D6C).to_bytes(4, "little"),
    "GGML with versions": (0x67676D66).to_bytes(4, "little"),
    "GGML for mmap": (0x67676A74).to_bytes(4, "little"),
    "a zip archive": torch_archive(),
    "HDF5": b"\x89HDF\r\n\x1a\n" + bytes(8),
    "NumPy": b"\x93NUMPY\x01\x00",
    "TFLite": b"\x1c\x00\x00\x00TFL3",
    "dense binary data": noise(),
} | {f"a pickle, protocol {n}": pickle.dumps({"w": [1.5]}, protocol=n) for n in range(2, 6)}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights_are_refused_by_content_under_any_name(package_folder: Path, kind: str) -> None:
    put(package_folder, WEIGHTS[kind])
    reason = refusal(package_folder)
    assert reason.startswith(f"{PLACE}: a kit holds no weight byte, and this content is ")
    assert kind.split(" with")[0].split(" for")[0].split(",")[0] in reason


@pytest.mark.parametrize("ending", WEIGHT_ENDINGS)
def test_weights_are_refused_by_ending_whatever_they_hold(
    package_folder: Path, ending: str
) -> None:
    name = f"deploy/batch/model{ending.upper()}"
    put(package_folder, b"text\n", name)
    assert refusal(package_folder) == (
        f"{name}: a kit holds no weight file, and this name ends like one"
    )


def test_noise_is_weighed_by_its_bits_and_not_by_its_size(
    package_folder: Path, tmp_path: Path
) -> None:
    put(package_folder, (b"a long configuration file, line after line\n" * 5000))
    put(package_folder, noise(1000), "deploy/batch/logo.webp")
    assert build(package_folder, tmp_path / "out").size > 1000


SECRETS = {
    "a private key": "-----BEGIN PRIVATE " + "KEY-----\n",
    "an AWS access key": "key: AKIA" + "A1B2C3D4E5F6G7H8",
    "a Stripe key": "sk_live_" + "0123456789abcdef",
    "a webhook secret": "whsec_" + "0123456789abcdef",
    "a Hugging Face token": "hf_" + "a" * 34,
    "a GitHub token": "ghp_" + "a" * 36,
}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_refused_and_not_repeated(package_folder: Path, kind: str) -> None:
    put(package_folder, f"env: {SECRETS[kind]}\n".encode())
    assert refusal(package_folder) == f"{PLACE}: the content holds {kind}"


@pytest.mark.parametrize("name", [".env", ".env.production", ".netrc", "id_ed25519"])
def test_files_that_hold_secrets_by_custom_are_refused(package_folder: Path, name: str) -> None:
    put(package_folder, b"\n", f"deploy/batch/{name}")
    assert refusal(package_folder) == f"deploy/batch/{name}: files of this name hold secrets"


@pytest.mark.parametrize("name", [PLACE, "LIMITS.md", "weights/SHA256SUMS"])
def test_a_link_is_refused_wherever_it_points(package_folder: Path, name: str) -> None:
    (package_folder / name).unlink(missing_ok=True)
    (package_folder / name).symlink_to(package_folder / "README.md")
    assert refusal(package_folder) == f"{name}: links are refused"


@pytest.mark.parametrize("name", ["deploy", "deploy/batch", "deploy/batch/more", "weights"])
def test_a_folder_that_is_a_link_is_refused(package_folder: Path, name: str) -> None:
    place, away = package_folder / name, package_folder.parent / "away"
    if place.exists():
        place.rename(away)
    else:
        away.mkdir()
    place.symlink_to(away)
    reason = refusal(package_folder)
    assert reason.startswith(name)
    assert "link" in reason


def test_a_fifo_is_refused_without_waiting_for_a_writer(package_folder: Path) -> None:
    os.mkfifo(package_folder / PLACE)
    assert refusal(package_folder) == f"{PLACE}: only regular files go into a kit"


def test_names_that_differ_in_case_alone_are_refused(package_folder: Path) -> None:
    put(package_folder, b"one\n", "deploy/batch/Compose.YAML")
    assert "is the same name as" in refusal(package_folder)


def test_names_that_one_file_system_spells_differently_are_refused() -> None:
    with pytest.raises(KitRefused, match="is the same name as"):
        refuse_collisions(
            ["deploy/e\N{COMBINING ACUTE ACCENT}", "deploy/\N{LATIN SMALL LETTER E WITH ACUTE}"]
        )


@pytest.mark.parametrize("place", ["README.md", COMPOSE, "story.md"])
def test_what_is_withheld_may_stand_nowhere_in_the_open(package_folder: Path, place: str) -> None:
    secret = (package_folder / "withheld" / "serve-command.sh").read_bytes()
    put(package_folder, b"# Notes\n\n" + secret + b"\nmore\n", place)
    assert refusal(package_folder) == (
        f"{place}: holds the content of serve_command, which is withheld"
    )


def test_one_telling_line_of_it_is_enough(package_folder: Path, tmp_path: Path) -> None:
    command = b"#!/bin/sh\nset -e\nserve --model k3 --secret-launch-setting 41 \\\n  --x\n"
    put(package_folder, command, "withheld/serve-command.sh")
    put(package_folder, b"Run serve --model k3 --secret-launch-setting 41 by hand.\n", "README.md")
    assert refusal(package_folder) == (
        "README.md: holds the content of serve_command, which is withheld"
    )
    put(package_folder, b"#!/bin/sh\nset -e\necho hello\n", "README.md")
    build(package_folder, tmp_path / "built")


def test_what_is_withheld_may_not_stand_in_the_definition(package_folder: Path) -> None:
    put(package_folder, b'serve --model "k3"\n', "withheld/serve-command.sh")
    path = package_folder / "package.yaml"
    path.write_text(
        path.read_text().replace(
            "  - First release,", "  - 'serve --model \"k3\"'\n  - First release,"
        )
    )
    assert refusal(package_folder).startswith("package.yaml: holds the content of serve_command")


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"caf\xe9", "must be UTF-8 text, byte 3 is not"), (b"a\0b", "holds a zero byte")],
)
def test_what_a_buyer_receipt_will_quote_must_be_text(
    package_folder: Path, content: bytes, reason: str
) -> None:
    put(package_folder, content, "withheld/serve-command.sh")
    found = refusal(package_folder)
    assert found.startswith("withheld.serve_command: withheld/serve-command.sh: ")
    assert reason in found


@pytest.mark.parametrize(
    "name", ["README.md", "weights/upstream.json", "withheld/serve-command.sh"]
)
def test_a_missing_file_is_named(package_folder: Path, name: str) -> None:
    (package_folder / name).unlink()
    assert refusal(package_folder).endswith(f"{name}: no such file or directory")


def test_a_missing_profile_is_named(package_folder: Path) -> None:
    (package_folder / "deploy" / "batch").rename(package_folder / "deploy" / "other")
    assert refusal(package_folder) == "deploy/batch: must be a folder, and no link"


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("revision", "main", "weights/upstream.json: revision: must be a commit"),
        ("revision", "0" * 40, "upstream.revision: the definition says a7a2217ef6b6"),
        ("repository", "other/k3", "upstream.repository: the definition says stand-in/kimi-k3"),
        ("standIn", False, "upstream.stand_in: the definition says True"),
    ],
)
def test_the_lists_must_be_of_the_weights_that_the_definition_names(
    package_folder: Path, field: str, value: object, reason: str
) -> None:
    path = package_folder / "weights" / "upstream.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {field: value}))
    assert refusal(package_folder).startswith(reason)


def test_a_list_with_a_shard_too_few_is_refused(package_folder: Path) -> None:
    path = package_folder / "weights" / "SHA256SUMS"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    assert refusal(package_folder) == (
        "weights.shards: the definition says 96, weights/SHA256SUMS lists 95"
    )


def test_a_list_that_cannot_be_read_is_refused(package_folder: Path) -> None:
    put(package_folder, b"no digest here\n", "weights/SHA256SUMS")
    assert refusal(package_folder).startswith("weights/SHA256SUMS: line 1: ")


@pytest.mark.parametrize("change", [b"longer", b"same", b""])
def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: bytes
) -> None:
    path = put(tmp_path, b"text", "file")
    os.utime(path, (1, 1))
    look, looked = os.fstat, list[os.stat_result]()

    def look_then_change(descriptor: int) -> os.stat_result:
        status = look(descriptor)
        if not looked:
            path.write_bytes(change)
        looked.append(status)
        return status

    monkeypatch.setattr(os, "fstat", look_then_change)
    with pytest.raises(KitRefused, match="file: changed while it was read"):
        read_file(path, "file")


def test_a_file_above_the_limit_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, b"", "large")
    os.truncate(path, MOST_BYTES + 1)
    with pytest.raises(KitRefused, match=f"large: larger than {MOST_BYTES} bytes"):
        read_file(path, "large")
