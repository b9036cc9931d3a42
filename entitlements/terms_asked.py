"""Which terms a version asks for, and whether an entitlement was signed under them.

A version asks for what its definition names in `licence_terms`, else for the terms of its tier
that were current when it was published. Both are final, so what a version asks for is too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from catalog.models import PackageVersion
from entitlements.models import Entitlement
from licensing.models import LicenceSignature, LicenceTerms

SIGN_FIRST = "sign the newer terms first."


@dataclass(frozen=True, kw_only=True)
class TermsAsked:
    """The published terms, newest first, and the places of those each entitlement signed."""

    published: list[LicenceTerms]
    signed: dict[UUID, set[int]]

    @classmethod
    def read(cls, entitlements: Collection[Entitlement]) -> TermsAsked:
        """Read what was published and signed: two queries, however many entitlements."""
        signed: dict[UUID, set[int]] = {}
        rows = LicenceSignature.objects.filter(
            Q(entitlement__in=entitlements) | Q(additional__entitlement__in=entitlements)
        ).values_list("entitlement", "additional__entitlement", "terms")
        for first, additional, terms in rows:
            signed.setdefault(first or additional, set()).add(terms)
        return cls(published=list(LicenceTerms.objects.defer("body")), signed=signed)

    def closed_because(self, *, entitlement: Entitlement, version: PackageVersion) -> str:
        """Why a version waits for newer terms, or "". What was bought itself never does."""
        if version.pk == entitlement.version_id:
            return ""
        return self.missing(version=version, signed=self.signed.get(entitlement.pk, set()))

    def missing(self, *, version: PackageVersion, signed: set[int]) -> str:
        """Why terms that were signed, by their keys, are not those of a version, or ""."""
        named = version.data.get("licence_terms")
        family = named["family"] if named else version.data["tier"]
        of_family = [each for each in self.published if each.family == family]
        place = _place(of_family, version, named["version"] if named else "")
        if place is None:
            return f"The terms of this version are not published yet: {family}." if named else ""
        # The terms that are asked for, or any that were published after them.
        enough = {each.pk for each in of_family[: place + 1]}
        if enough & signed:
            return ""
        return f"This version asks for newer terms, {of_family[place]}: {SIGN_FIRST}"


def missing_terms(*, signature: LicenceSignature, version: PackageVersion) -> str:
    """Why a version is not bought with a signature that was made before its terms, or ""."""
    asked = TermsAsked.read(entitlements=[])
    return asked.missing(version=version, signed={signature.terms_id})


def _place(of_family: list[LicenceTerms], version: PackageVersion, named: str) -> int | None:
    published = version.published_at
    for place, terms in enumerate(of_family):
        current = published is not None and terms.published_at <= published
        if (terms.version == named) if named else current:
            return place
    return None
