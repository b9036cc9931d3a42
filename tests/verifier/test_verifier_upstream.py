"""`weights/upstream.json`: a commit, never a branch, and sizes in bytes."""

import json

import pytest
from touchstone.upstream import UpstreamError, parse_upstream

from tests.verifier.kits import SHARDS, by_words, upstream


def document(**changes: object) -> bytes:
    return json.dumps({**json.loads(upstream()), **changes}).encode()


def test_repository_revision_and_sizes_are_read() -> None:
    read = parse_upstream(upstream())
    assert (read.repository, read.revision, read.stand_in) == ("example/tiny", "0" * 40, True)
    assert read.sizes == {name: len(data) for name, data in SHARDS.items()}


def test_fields_of_others_are_left_alone() -> None:
    assert parse_upstream(document(note="x")).repository == "example/tiny"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "not JSON"),
        (document(repository=""), "repository:"),
        (document(revision="main"), "revision: must be a commit"),
        (document(revision=7), "revision: must be a commit"),
        (document(standIn="yes"), "standIn:"),
        (document(files=[]), "files: must be a list"),
        (document(files=[7]), r"files\[0\]: must be an object"),
        (document(files=[{"size": 1}]), r"files\[0\].name: must be a string"),
        (document(files=[{"name": "../a", "size": 1}]), r"files\[0\].name: .*'..'"),
        (document(files=[{"name": "a", "size": -1}]), r"files\[0\].size: must be a whole"),
        (document(files=[{"name": "a", "size": True}]), r"files\[0\].size: must be a whole"),
        (document(files=[{"name": "a", "size": 1.0}]), r"files\[0\].size: must be a whole"),
        (document(files=[{"name": "a", "size": 1}] * 2), r"files\[1\].name: 'a' is listed twice"),
    ],
    ids=by_words,
)
def test_a_wrong_document_names_its_field(raw: bytes, message: str) -> None:
    with pytest.raises(UpstreamError, match=message):
        parse_upstream(raw)
