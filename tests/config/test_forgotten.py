"""After an account is deleted, every column of the database is searched for its person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client

from entitlements.models import Outbox, ProviderEvent, Purchase
from licensing.deleting import delete_account
from licensing.models import Invitation, User
from tests.config.canaries import unpacked
from tests.licensing.parties import invitation_to
from tests.people import make_user, signed_in
from tests.shop import ROOT

PERSON = ("ada@meridian.example", "Ada Okafor")
# What stays is evidence of what was agreed, or decided at the finance desk: docs/security.md.
EVIDENCE = {
    "entitlements_deskaction.actor_email",
    "licensing_licencesignature.account_email",
    "licensing_licencesignature.signer_name",
    "receipts_receipt.envelope",
}
ELSEWHERE = {
    "account_emailaddress.email",
    "django_admin_log.object_repr",
    "django_session.session_data",
    "entitlements_outbox.last_error",
    "entitlements_providerevent.payload",
    "licensing_invitation.email",
    "licensing_user.email",
    "licensing_user.name",
}


def columns() -> list[tuple[str, str, str]]:
    """Table, name and type of each column of the database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns "
            "WHERE table_schema = 'public'"
        )
        return list(cursor.fetchall())


def texts(table: str, column: str, kind: str) -> Iterator[bytes]:
    """Each value of a column as a reader would have it, unpacked and in lower case."""
    if table == "django_session" and column == "session_data":
        yield from (str(each.get_decoded()).lower().encode() for each in Session.objects.all())
        return
    of = f'"{column}"' if kind == "bytea" else f'"{column}"::text'
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT DISTINCT {of} FROM "{table}" WHERE "{column}" IS NOT NULL')  # noqa: S608 -- names of columns
        for (value,) in cursor.fetchall():
            for text in unpacked(value.encode() if isinstance(value, str) else bytes(value)):
                yield text.lower()


def found(*words: str) -> set[str]:
    """The columns that hold one of the words."""
    wanted = [word.lower().encode() for word in words]
    return {
        f"{table}.{column}"
        for table, column, kind in columns()
        if any(word in text for text in texts(table, column, kind) for word in wanted)
    }


@pytest.fixture
def known(whole_evidence: Purchase, owner: User, team_mate: User, outsider: User) -> User:
    """A person of whom every part of the store knows."""
    whole_evidence.entity.members.filter(user=team_mate).update(role="owner")
    elsewhere = outsider.memberships.get().entity
    invitation_to(elsewhere, owner.email, by=outsider, token="to")
    invitation_to(whole_evidence.entity, "nia@meridian.example", by=owner, token="from")
    client = Client()
    client.post("/accounts/login/", {"login": owner.email, "password": "a long pass phrase"})
    Outbox.objects.update(last_error=f"SMTPRecipientsRefused: {owner.email}")
    person: dict[str, Any] = {"customer_details": {"email": owner.email, "name": owner.name}}
    session = person | {"client_reference_id": str(whole_evidence.pk)}
    ProviderEvent.objects.create(
        provider="stripe", event_id="evt_1", payload={"data": {"object": session}}
    )
    _by_staff(owner)
    return owner


def _by_staff(owner: User) -> None:
    staff = make_user("sam@store.example", staff=True)
    User.objects.filter(pk=staff.pk).update(is_superuser=True)
    address = EmailAddress.objects.get(user=owner)
    form = {"user": owner.pk, "email": owner.email, "primary": "on", "verified": "on"}
    path = f"/staff/account/emailaddress/{address.pk}/change/"
    assert signed_in(User.objects.get(pk=staff.pk)).post(path, form).status_code == 302


def test_a_deleted_person_is_in_the_evidence_alone(known: User) -> None:
    assert found(*PERSON) == EVIDENCE | ELSEWHERE
    delete_account(account=known)
    assert found(*PERSON) == EVIDENCE
    assert Invitation.objects.get().invited_by is None


def test_what_stays_is_what_the_document_lists() -> None:
    text = (ROOT / "docs" / "security.md").read_text("utf-8")
    section = text.partition("## Personal data")[2].partition("\n## ")[0]
    rows = [row for row in section.splitlines() if "17(3)" in row]
    models = {each._meta.db_table: each.__name__ for each in apps.get_models()}
    for table in {each.partition(".")[0] for each in EVIDENCE}:
        assert any(f"| `{models[table]}` |" in row for row in rows), table
