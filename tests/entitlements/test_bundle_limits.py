"""A bundle is never given out that `touchstone verify --bundle` would refuse."""

from __future__ import annotations

import json
import logging
from functools import partial
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from touchstone import bundle as limits
from touchstone.verifying_bundle import verify_bundle

from entitlements.agreeing import bind_newer_terms
from entitlements.evidence import bundling
from entitlements.evidence.bundling import build_bundle
from entitlements.evidence.recording import BundleTooLarge, downloads_files, payments_json
from entitlements.models import Purchase
from licensing.models import User
from receipts.keys import keys_document
from tests.entitlements.bundles import unpack
from tests.people import make_user, signed_in
from tests.shop import sign
from tests.threads import at_once


@pytest.mark.django_db(transaction=True)
def test_what_is_signed_while_it_is_written_is_not_half_in_it(
    evidence: Purchase, owner: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = sign(
        account=owner,
        version=evidence.version,
        entity=evidence.entity,
        terms=evidence.signature.terms,
    )

    def late(purchase: Purchase) -> bytes:
        rival = partial(bind_newer_terms, entitlement=purchase.entitlement, signature=newer)
        assert at_once(rival) == []
        return payments_json(purchase)

    monkeypatch.setattr(bundling, "payments_json", late)
    path = tmp_path / "bundle.tar.gz"
    path.write_bytes(build_bundle(evidence))
    assert verify_bundle(bundle=path, keys=keys_document()).failures == []
    assert evidence.entitlement.additional_signatures.get().signature == newer


def test_too_many_rows_of_the_log_are_refused_while_they_are_read(
    evidence: Purchase, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(json.dumps(json.loads(downloads_files(evidence)["downloads.json"])[0]))
    monkeypatch.setattr(limits, "MAX_UNPACKED", size)
    with pytest.raises(BundleTooLarge, match="the download log has more than"):
        downloads_files(evidence)


@pytest.mark.parametrize(
    ("limit", "value", "reason"),
    [
        ("MAX_UNPACKED", 40_000, "unpacks to more than 40000 bytes"),
        ("MAX_MEMBERS", 29, "holds more than 29 files and folders"),
    ],
)
def test_whoever_asks_for_more_than_is_read_is_led_to_the_pieces(
    whole_evidence: Purchase,
    owner: User,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    value: int,
    reason: str,
) -> None:
    monkeypatch.setattr(limits, limit, value)
    with caplog.at_level(logging.WARNING):
        answer = signed_in(owner).get(reverse("entitlements:evidence", args=[whole_evidence.pk]))
    assert (answer.status_code, answer["Content-Type"]) == (409, "text/html; charset=utf-8")
    assert reason in answer.text
    assert f"no evidence bundle of purchase {whole_evidence.pk}: " in caplog.text
    newer = whole_evidence.entitlement.additional_signatures.get().signature
    for piece in (whole_evidence.signature, newer, whole_evidence):
        assert f'<a href="{piece.get_absolute_url()}">' in answer.text
        assert signed_in(owner).get(piece.get_absolute_url()).status_code == 200


def test_finance_is_told_how_to_hand_it_over(
    evidence: Purchase, monkeypatch: pytest.MonkeyPatch
) -> None:
    clerk = make_user("fay@store.example", staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="view_payment"))
    monkeypatch.setattr(limits, "MAX_MEMBERS", 20)
    answer = signed_in(clerk).get(reverse("entitlements:evidence", args=[evidence.pk]))
    assert "docs/operations.md" in answer.text
    assert evidence.get_absolute_url() not in answer.text


def test_what_is_just_not_too_much_is_given_out(
    evidence: Purchase, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = reverse("entitlements:evidence", args=[evidence.pk])
    _, files = unpack(signed_in(owner).get(address).content)
    monkeypatch.setattr(limits, "MAX_MEMBERS", len(files))
    assert signed_in(owner).get(address).status_code == 200
    monkeypatch.setattr(limits, "MAX_MEMBERS", len(files) - 1)
    assert signed_in(owner).get(address).status_code == 409
