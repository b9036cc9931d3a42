from __future__ import annotations

from django.db import IntegrityError, transaction

from entitlements.models import AdditionalSignature, Entitlement
from entitlements.owed_receipts import owe_receipts
from licensing.models import LicenceSignature


class AgreementRefused(Exception):
    """The signature cannot be bound to what was bought; the message says why."""


def bind_newer_terms(
    *, entitlement: Entitlement, signature: LicenceSignature
) -> AdditionalSignature:
    """Bind an unused signature to what was bought, so that versions under its terms open.

    The same again returns what is bound. Raises AgreementRefused for a signature of another
    entity or package, or one that binds something else.
    """
    bound = AdditionalSignature.objects.filter(signature=signature, entitlement=entitlement)
    if (known := bound.first()) is not None:
        return known
    try:
        with transaction.atomic():
            made = AdditionalSignature.objects.create(
                entitlement=entitlement,
                signature=signature,
                entity_id=entitlement.entity_id,
                package_id=entitlement.package_id,
            )
            owe_receipts(entitlement)
    except IntegrityError as error:
        # Race: the same form sent twice. The second finds the first one's row.
        if (known := bound.first()) is not None:
            return known
        raise AgreementRefused(
            "This signature is of something else or was used already: please sign again."
        ) from error
    return made
