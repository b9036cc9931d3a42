"""A bundle is never given out that `touchstone verify --bundle` would refuse."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from touchstone.verifying_bundle import verify_bundle

from entitlements.agreeing import bind_newer_terms
from entitlements.evidence import bundling
from entitlements.evidence.bundling import build_bundle
from entitlements.evidence.recording import payments_json
from entitlements.models import Purchase
from licensing.models import User
from receipts.keys import keys_document
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
