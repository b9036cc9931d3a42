from __future__ import annotations

import pytest

from catalog.models import PackageVersion
from entitlements.links import issue_link
from entitlements.models import Purchase
from licensing.models import LicenceTerms, User
from tests.config.access import STORE, path_of
from tests.licensing.parties import TOKEN, invitation_to


@pytest.fixture
def addresses(
    bought: Purchase, published: PackageVersion, terms: LicenceTerms, owner: User, team_mate: User
) -> dict[str, str]:
    """The path of each of the store's routes, in a shop with one purchase."""
    assert published.benchmark_receipt is not None
    invitation = invitation_to(bought.entity, "otto@elsewhere.example", by=owner)
    values: dict[str, object] = {
        "entity": bought.entity_id,
        "member": team_mate.memberships.get().pk,
        "invitation": invitation.pk,
        "slug": published.package.slug,
        "version": published.version,
        "payload_sha256": published.benchmark_receipt.payload_sha256,
        "sha256": "0" * 64,
        "purchase": bought.pk,
        "pk": bought.pk,
        "token": issue_link(entitlement=bought.entitlement, version=bought.version, member=owner),
        "family": terms.family,
        "key": "no-key",
        "uidb36": "0",
    }
    others: dict[str, dict[str, object]] = {
        "licences/<slug:family>-<version:version>.txt": {"version": terms.version},
        "account/invitations/<str:token>/": {"token": TOKEN},
        "licences/<slug:family>/<version:version>/": {"version": terms.version},
        "licences/<slug:family>/<version:version>/changes/": {"version": terms.version},
    }
    others |= {route: {"pk": bought.signature_id} for route in STORE if "signatures/" in route}
    return {route: path_of(route, values | others.get(route, {})) for route in STORE}
