"""Publishing terms at the desk: who may, and what is said where."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from licensing.models import LicenceTerms, User
from licensing.publishing_terms import LARGEST
from tests.people import make_user, signed_in
from tests.shop import TERMS

PAGE = "/staff/terms/"


@pytest.fixture
def lawyer(db: None) -> User:
    """Staff with the right to publish terms, and no other."""
    user = make_user("lea@store.example", staff=True)
    user.user_permissions.add(Permission.objects.get(codename="add_licenceterms"))
    return user


def posted(client: Client, body: bytes, **changed: Any) -> Any:
    form = {"file": SimpleUploadedFile("terms.md", body), "final": "on"}
    return client.post(PAGE, {k: v for k, v in (form | changed).items() if v is not None})


def test_what_is_uploaded_is_published_byte_for_byte_and_says_by_whom(lawyer: User) -> None:
    response = posted(signed_in(lawyer), TERMS.read_bytes())
    made = LicenceTerms.objects.get()
    assert response.headers["Location"] == f"/staff/licensing/licenceterms/{made.pk}/change/"
    assert bytes(made.body) == TERMS.read_bytes()
    assert [(log.user, log.object_id) for log in LogEntry.objects.all()] == [(lawyer, str(made.pk))]
    posted(signed_in(lawyer), TERMS.read_bytes())
    assert LicenceTerms.objects.count() == LogEntry.objects.count() == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"Version: 1.0", b"Version: one", "version: one line must be"),
        (b"Family: enterprise", b"", "family: one line must be"),
        (b"# Enterprise Kit", b"Enterprise Kit", "title: the first line"),
        (b"# Enterprise Kit", b"# " + b"E" * 201, "title: must have at most 200"),
        (b"# Enterprise Kit", b"# Enter\0prise", "text: lines must end with LF"),
        (b"\n", b"\r\n", "text: lines must end with LF"),
        (b"### Affirmation: resale", b"### Affirmation: audit", "affirmations: must be"),
        (b"SAMPLE.", b"\xff", "text: must be UTF-8"),
        (b"SAMPLE.", b"S" * LARGEST, "text: must have at most"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(
    lawyer: User, old: bytes, new: bytes, said: str
) -> None:
    response = posted(signed_in(lawyer), TERMS.read_bytes().replace(old, new))
    assert response.status_code == 400
    assert said in response.context["form"].errors["file"][0]
    assert not LicenceTerms.objects.exists()


def test_another_text_under_the_same_version_is_refused(lawyer: User, terms: LicenceTerms) -> None:
    response = posted(signed_in(lawyer), TERMS.read_bytes() + b" ")
    assert "a published text is final" in response.context["form"].errors["file"][0]
    assert LicenceTerms.objects.get() == terms


@pytest.mark.parametrize(("field", "value"), [("final", "off"), ("final", None), ("file", None)])
def test_nothing_is_published_without_file_and_mark(
    lawyer: User, field: str, value: str | None
) -> None:
    response = posted(signed_in(lawyer), TERMS.read_bytes(), **{field: value})
    assert response.status_code == 400
    assert list(response.context["form"].errors) == [field]
    assert not LicenceTerms.objects.exists()


def test_who_has_not_the_right_is_kept_out(owner: User, lawyer: User) -> None:
    clerk = make_user("cleo@store.example", staff=True)
    assert posted(signed_in(clerk), TERMS.read_bytes()).status_code == 403
    for client in (Client(), signed_in(owner)):
        assert posted(client, TERMS.read_bytes()).headers["Location"].startswith("/staff/login/")
    assert not LicenceTerms.objects.exists()
    assert PAGE in signed_in(lawyer).get("/staff/").text
    assert PAGE not in signed_in(clerk).get("/staff/").text
