from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from licensing.terms_difference import MOST_WORDS, Kind, difference

PARAGRAPHS = st.lists(
    st.lists(st.sampled_from(["kit", "copy", "the entity", "#", "<b>", "30"]), min_size=1).map(
        " ".join
    ),
    max_size=8,
)


def pieces(older: str, newer: str) -> list[tuple[Kind, str]]:
    """All pieces in order."""
    runs = difference(older, newer)
    return [(p.kind, p.text) for run in runs for each in run.paragraphs for p in each.pieces]


def side(found: list[list[tuple[Kind, str]]], without: Kind) -> list[str]:
    texts = ["".join(text for kind, text in each if kind != without) for each in found]
    return [text for text in texts if text]


@given(older=PARAGRAPHS, newer=PARAGRAPHS)
@settings(max_examples=150, deadline=None)
def test_each_text_is_what_is_left_without_the_words_of_the_other(
    older: list[str], newer: list[str]
) -> None:
    runs = difference("\n\n".join(older), "\n\n".join(newer))
    found = [[(p.kind, p.text) for p in each.pieces] for run in runs for each in run.paragraphs]
    assert side(found, "added") == older
    assert side(found, "removed") == newer


def test_a_changed_word_is_marked_alone() -> None:
    assert pieces("Pay within thirty days.", "Pay within ten days.") == [
        ("same", "Pay within "),
        ("removed", "thirty"),
        ("added", "ten"),
        ("same", " days."),
    ]


def test_paragraphs_that_say_something_else_are_not_mixed() -> None:
    assert pieces("The kit holds no weights.", "An auditor may visit once a year!") == [
        ("removed", "The kit holds no weights."),
        ("added", "An auditor may visit once a year!"),
    ]


@pytest.mark.parametrize("heading", ["## 4. Weights", "### Affirmation: resale"])
def test_a_change_stands_under_its_heading(heading: str) -> None:
    older = f"# T\n\n{heading}\n\nOne day passes.\n\nThe end."
    [_, run, _] = difference(older, older.replace("One day", "Two day"))
    assert [each.heading for each in run.paragraphs] == [heading.lstrip("# ")]


def test_a_paragraph_of_countless_words_is_not_compared_by_word() -> None:
    long = "word " * MOST_WORDS
    assert [kind for kind, _ in pieces(f"a {long}", f"b {long}")] == ["removed", "added"]
