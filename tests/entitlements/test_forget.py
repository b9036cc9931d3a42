"""What is no evidence goes when it is old, and nothing else does."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.utils import timezone

from config.celery import app
from entitlements.models import Outbox, ProviderEvent
from entitlements.tasks import forget
from licensing.models import Invitation, LicensedEntity, User
from tests.licensing.parties import invitation_to

NOW = timezone.now()
OLD, YOUNG = NOW - timedelta(days=91), NOW - timedelta(days=89)


def forgotten() -> str:
    """What the command says that it deleted."""
    said = io.StringIO()
    call_command("forget", stdout=said)
    return said.getvalue()


def test_sessions_go_when_they_are_over(db: None) -> None:
    for key, ends in [("over", NOW - timedelta(seconds=1)), ("live", NOW + timedelta(days=1))]:
        Session.objects.create(session_key=key, session_data="x", expire_date=ends)
    assert "sessions: 1 deleted" in forgotten()
    assert Session.objects.get().session_key == "live"


def test_work_goes_long_after_it_was_done(db: None) -> None:
    for kind, created, done in [("old", OLD, OLD), ("young", OLD, YOUNG), ("failed", OLD, None)]:
        Outbox.objects.create(kind=kind, created_at=created, due_at=created, done_at=done)
    assert "letters: 1 deleted" in forgotten()
    assert set(Outbox.objects.values_list("kind", flat=True)) == {"young", "failed"}


@pytest.mark.parametrize(
    ("outcome", "received", "goes"),
    [
        ("applied", OLD, True),
        ("ignored", OLD, True),
        ("applied", YOUNG, False),
        ("waiting", OLD, False),
        ("held", OLD, False),
    ],
)
def test_events_go_when_they_are_settled_and_old(
    db: None, outcome: str, received: Any, goes: bool
) -> None:
    ProviderEvent.objects.create(
        provider="stripe", event_id="evt_1", payload={}, outcome=outcome, received_at=received
    )
    assert f"events: {int(goes)} deleted" in forgotten()
    assert ProviderEvent.objects.exists() is not goes


@pytest.mark.parametrize(
    ("change", "goes"),
    [
        ({"expires_at": OLD}, True),
        ({"expires_at": YOUNG}, False),
        ({"revoked_at": OLD}, True),
        ({"revoked_at": YOUNG, "expires_at": OLD}, False),
        ({"accepted_at": OLD, "expires_at": OLD}, False),
    ],
)
def test_invitations_go_long_after_they_ended_unused(
    entity: LicensedEntity, owner: User, change: dict[str, Any], goes: bool
) -> None:
    invitation_to(entity, "nia@meridian.example", by=owner)
    Invitation.objects.update(**change)
    assert f"invitations: {int(goes)} deleted" in forgotten()
    assert Invitation.objects.exists() is not goes


def test_the_setting_says_how_long(db: None, settings: Any) -> None:
    Outbox.objects.create(kind="young", done_at=YOUNG)
    settings.FORGET_AFTER_DAYS = 88
    assert "letters: 1 deleted" in forgotten()


def test_the_worker_and_celerys_clock_do_it(db: None) -> None:
    for run in (lambda: call_command("work", "--once", stdout=io.StringIO()), forget):
        Outbox.objects.create(kind="old", done_at=OLD)
        run()
        assert not Outbox.objects.exists()
    assert app.conf.beat_schedule["forgetting"]["task"] == forget.name
