"""The public page of each terms version, and what changed between two of them."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from django.test import Client

from licensing.models import LicenceTerms
from licensing.publishing_terms import publish_text
from licensing.terms_html import terms_html
from tests.catalog.reading import shown
from tests.shop import TERMS

PAGE = "/licences/enterprise/1.0/"
OLD = b"gives the licensor that record within thirty days"
NEW = b"gives the licensor that record within <ten> days"


def publish_next() -> LicenceTerms:
    """Version 1.1: another number of days, one section less, one more."""
    text = TERMS.read_bytes().replace(b"Version: 1.0", b"Version: 1.1").replace(OLD, NEW)
    text = re.sub(rb"## 4\. Weights.*?(?=## 5\.)", b"", text, flags=re.DOTALL)
    text = text.replace(
        b"## Affirmations", b"## 15. Audit\n\nAn auditor may come.\n\n## Affirmations"
    )
    return publish_text(body=text)[0]


def test_the_page_shows_the_text_its_hash_and_how_to_check_it(
    terms: LicenceTerms, client: Client
) -> None:
    page = client.get(PAGE)
    assert "<h2>13. Term and end</h2>" in page.text
    assert page.text.count("<h1>") == 1
    assert f'<span class="digest">{terms.sha256}</span>' in page.text
    address = re.search(r"curl -O http://127\.0\.0\.1:8000(\S+)", page.text)
    said = re.search(r"([0-9a-f]{64})  (\S+?)&quot;|\"([0-9a-f]{64})  (\S+)\"", page.text)
    assert address is not None
    assert said is not None
    digest, name = (each for each in said.groups() if each)
    assert hashlib.sha256(client.get(address[1]).content).hexdigest() == digest
    assert Path(address[1]).name == name


def test_an_older_version_names_the_newer_and_both_are_listed(
    terms: LicenceTerms, client: Client
) -> None:
    assert "Newer terms" not in client.get(PAGE).text
    newer = publish_next()
    older = client.get(PAGE).text
    assert (
        f'Newer terms were published since:\n      <a href="{newer.get_absolute_url()}">' in older
    )
    page = client.get(newer.get_absolute_url()).text
    assert "Newer terms" not in page
    assert f'<a href="{PAGE}">1.0</a>' in page
    assert "/licences/enterprise/1.1/changes/" in page
    assert "/licences/enterprise/1.0/changes/" not in page


def test_changes_are_marked_by_word_and_said_to_who_cannot_see_them(
    terms: LicenceTerms, client: Client
) -> None:
    publish_next()
    page = client.get("/licences/enterprise/1.1/changes/").text
    removed = '<del><span class="unseen">[removed: </span>{}<span class="unseen">]</span></del>'
    added = '<ins><span class="unseen">[added: </span>{}<span class="unseen">]</span></ins>'
    words = removed.format("thirty") + added.format("&lt;ten&gt;")
    assert f"that record within {words} days." in page
    assert added.format("An auditor may come.") in page
    assert "<h2>7. Traceability of copies</h2>" in page
    assert "The kit holds no weights" in page.partition("<del>")[2]
    assert "style=" not in page
    assert "The parties agree to sign electronically" in shown(
        client.get("/licences/enterprise/1.1/changes/")
    )


def test_the_first_version_changes_nothing(terms: LicenceTerms, client: Client) -> None:
    page = client.get(f"{PAGE}changes/")
    assert "this is the first version" in page.text
    assert "<del>" not in page.text


@pytest.mark.parametrize("path", ["/licences/enterprise/9.9/", "/licences/other/1.0/changes/"])
def test_terms_that_nobody_published_are_404(
    terms: LicenceTerms, client: Client, path: str
) -> None:
    assert client.get(path).status_code == 404


def test_html_in_the_terms_is_shown_as_text() -> None:
    html = terms_html("# T\n\n<script>x</script> ![a](https://x.example/a.png) [b](javascript:c)\n")
    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert "<h1>" not in html
