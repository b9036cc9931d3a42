"""Statements: strict fields, integers that stay integers, and subjects by SHA-256 alone."""

import json
import math

import pytest
from touchstone.statement import (
    BENCHMARK_RECEIPT,
    STATEMENT_TYPE,
    StatementError,
    Subject,
    build_statement,
    parse_statement,
)

from tests.verifier.kits import by_words

SUBJECT = Subject("kit.tar.gz", "a" * 64)


def document(**changes: object) -> bytes:
    fields = {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": "kit.tar.gz", "digest": {"sha256": "a" * 64}}],
        "predicateType": BENCHMARK_RECEIPT,
        "predicate": {},
    }
    return json.dumps({**fields, **changes}).encode()


def subject(**changes: object) -> list[dict[str, object]]:
    return [{"name": "kit.tar.gz", "digest": {"sha256": "a" * 64}, **changes}]


def test_a_built_statement_reads_back() -> None:
    raw = build_statement(
        subjects=[SUBJECT], predicate_type=BENCHMARK_RECEIPT, predicate={"title": "größer"}
    )
    read = parse_statement(raw)
    assert (read.subjects, read.predicate_type) == ((SUBJECT,), BENCHMARK_RECEIPT)
    assert read.predicate == {"title": "größer"}


def test_integers_stay_integers_and_floats_stay_floats() -> None:
    figures = {"size": 2**60 + 1, "zero": 0, "rate": 89.04, "whole": 2.0}
    raw = build_statement(
        subjects=[SUBJECT], predicate_type=BENCHMARK_RECEIPT, predicate={"figures": figures}
    )
    assert repr(parse_statement(raw).predicate["figures"]) == repr(figures)


@pytest.mark.parametrize("value", [math.nan, math.inf, b"bytes", "\ud800"])
def test_what_json_cannot_carry_is_not_written(value: object) -> None:
    with pytest.raises(StatementError, match=r"^predicate: cannot be written"):
        build_statement(
            subjects=[SUBJECT], predicate_type=BENCHMARK_RECEIPT, predicate={"value": value}
        )


def test_a_statement_without_subjects_is_not_written() -> None:
    with pytest.raises(StatementError, match=r"^subject: must be a list of at least one"):
        build_statement(subjects=[], predicate_type=BENCHMARK_RECEIPT, predicate={})


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (document(more=1), "missing or unknown fields: more"),
        (b"{}", "missing or unknown fields: _type, predicate"),
        (document(_type="https://in-toto.io/Statement/v0.1"), "^_type:"),
        (document(predicateType=""), "^predicateType:"),
        (document(predicate=[]), "^predicate:"),
        (document(subject={}), "^subject:"),
        (document(subject=subject() * 2), "^subject: two subjects have the same name"),
        (document(subject=subject(uri="x")), r"^subject\[0\]: must have exactly"),
        (document(subject=subject(name="")), r"^subject\[0\].name:"),
        (document(subject=subject(digest={"sha512": "a"})), r"^subject\[0\].digest:"),
        (document(subject=subject(digest={"sha256": "A" * 64})), r"^subject\[0\].digest.sha256:"),
        (document(subject=subject(digest={"sha256": 7})), r"^subject\[0\].digest.sha256:"),
        (document()[:-1] + b', "predicate": {}}', "'predicate' appears twice"),
    ],
    ids=by_words,
)
def test_a_wrong_statement_names_its_field(raw: bytes, message: str) -> None:
    with pytest.raises(StatementError, match=message):
        parse_statement(raw)
