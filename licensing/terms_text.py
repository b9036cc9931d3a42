"""The form of a terms file: a title, its family and version, and the four affirmations.

# Title
Family: enterprise
Version: 1.0
...
### Affirmation: redistribution
One paragraph: the sentence that is affirmed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

AFFIRMATIONS = ("redistribution", "resale", "traceability", "responsibility")
# Postgres holds sentences to the same lower bound, so that none can be a stray word.
SHORTEST = 21
LONGEST_TITLE = 200

_TITLE = re.compile(r"\A# (\S.*)$", re.MULTILINE)
_FAMILY = re.compile(r"^Family: ([a-z0-9-]{1,40})$", re.MULTILINE)
_VERSION = re.compile(r"^Version: (\d{1,4}(?:\.\d{1,4}){1,2})$", re.MULTILINE)
# What a reader cannot see; a tab is seen.
_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_AFFIRMATION = re.compile(r"^### Affirmation: (.+)$", re.MULTILINE)


class TermsError(Exception):
    """A terms text lacks a part of its form; the message names it."""


@dataclass(frozen=True)
class Header:
    """What a terms text says of itself."""

    title: str
    family: str
    version: str


@dataclass(frozen=True)
class Affirmation:
    """One sentence that a signer affirms separately."""

    key: str
    text: str


def parse_header(text: str) -> Header:
    """Read title, family and version. Raises TermsError."""
    if _HIDDEN.search(text):
        raise TermsError(
            "text: lines must end with LF, and no other control character may be in it"
        )
    title = _only(_TITLE, text, "title: the first line must be `# <title>`")
    if len(title) > LONGEST_TITLE:
        raise TermsError(f"title: must have at most {LONGEST_TITLE} characters")
    return Header(
        title=title,
        family=_only(_FAMILY, text, "family: one line must be `Family: <slug>`"),
        version=_only(_VERSION, text, "version: one line must be `Version: <number.number>`"),
    )


def parse_affirmations(text: str) -> tuple[Affirmation, ...]:
    """Read the four affirmations, in their order. Raises TermsError for any other set."""
    pieces = _AFFIRMATION.split(text)
    keys, bodies = pieces[1::2], pieces[2::2]
    if tuple(keys) != AFFIRMATIONS:
        raise TermsError(
            f"affirmations: must be {', '.join(AFFIRMATIONS)}, once each and in this order; "
            f"found {', '.join(keys) or 'none'}"
        )
    return tuple(
        Affirmation(key, _sentence(key, body)) for key, body in zip(keys, bodies, strict=True)
    )


def _sentence(key: str, body: str) -> str:
    sentence = body.strip()
    if len(sentence) < SHORTEST:
        raise TermsError(f"affirmation {key}: must be a sentence of at least {SHORTEST} characters")
    if "\n" in sentence:
        raise TermsError(f"affirmation {key}: must be one line, with nothing after it but the next")
    return sentence


def _only(pattern: re.Pattern[str], text: str, rule: str) -> str:
    found = pattern.findall(text)
    if len(found) != 1:
        raise TermsError(rule)
    return str(found[0])
