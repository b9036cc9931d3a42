from pathlib import Path

import pytest

from licensing.terms_text import AFFIRMATIONS, TermsError, parse_affirmations, parse_header

TEXT = (Path(__file__).parents[2] / "licences" / "enterprise-1.0.md").read_text("utf-8")


def test_the_sample_terms_say_their_family_and_version() -> None:
    header = parse_header(TEXT)
    assert (header.family, header.version) == ("enterprise", "1.0")


def test_the_sample_terms_are_marked_as_a_sample() -> None:
    assert "SAMPLE" in TEXT.split("## 1.")[0]


def test_the_four_affirmations_are_read_in_order() -> None:
    found = parse_affirmations(TEXT)
    assert tuple(each.key for each in found) == AFFIRMATIONS
    assert all(each.text in TEXT for each in found)


@pytest.mark.parametrize("key", AFFIRMATIONS)
def test_a_missing_affirmation_is_refused_by_name(key: str) -> None:
    with pytest.raises(TermsError, match="once each and in this order"):
        parse_affirmations(TEXT.replace(f"### Affirmation: {key}\n", ""))


def test_a_fifth_affirmation_is_refused() -> None:
    with pytest.raises(TermsError, match="once each"):
        parse_affirmations(TEXT + "\n### Affirmation: audit\n\nThe entity agrees to an audit.\n")


def test_a_stray_word_is_no_affirmation() -> None:
    sentence = parse_affirmations(TEXT)[0].text
    with pytest.raises(TermsError, match="redistribution: must be a sentence"):
        parse_affirmations(TEXT.replace(sentence, "Yes."))


@pytest.mark.parametrize("line", ["Family: enterprise", "Version: 1.0", "# Enterprise Kit Licence"])
def test_a_header_line_that_is_missing_is_named(line: str) -> None:
    with pytest.raises(TermsError, match=r"title|family|version"):
        parse_header(TEXT.replace(line + "\n", "", 1))
