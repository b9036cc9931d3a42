from __future__ import annotations

from django.db import IntegrityError, transaction

from catalog.models import PackageVersion
from entitlements.models import AdditionalSignature, Purchase
from entitlements.signature_validity import EXPIRED
from entitlements.terms_asked import SIGN_FIRST, missing_terms
from licensing.models import LicenceSignature, User


class PurchaseRefused(Exception):
    """The purchase cannot be opened; the message says why."""


class SignAgain(PurchaseRefused):
    """The signature opens no purchase any more: the way out is to sign again."""


class SignatureExpired(SignAgain):
    """The signature was not used in its time."""


class TermsOutdated(SignAgain):
    """What is on sale asks for terms that are newer than those that were signed."""


def refuse_expired(signature: LicenceSignature) -> None:
    """Raise SignatureExpired for a signature that no purchase was opened with in its time."""
    unused = LicenceSignature.objects.filter(pk=signature.pk, purchase__isnull=True)
    late = unused.filter(EXPIRED).first()
    if late is not None:
        raise SignatureExpired(
            f"The licence that was signed on {late.signed_at:%Y-%m-%d} was not used in time and "
            "can no longer be bought with. Nothing was charged: please sign it again."
        )


def refuse_bound(signature: LicenceSignature) -> None:
    """Raise PurchaseRefused for a signature of newer terms that an earlier purchase is under."""
    if AdditionalSignature.objects.filter(signature=signature).exists():
        raise PurchaseRefused("This signature binds an earlier purchase: please sign again.")


def refuse_older_terms(signature: LicenceSignature, version: PackageVersion) -> None:
    """Raise PurchaseRefused for a version whose terms the signature, still unused, is not of."""
    if Purchase.objects.filter(signature=signature).exists():
        return
    reason = missing_terms(signature=signature, version=version)
    if reason.endswith(SIGN_FIRST):
        raise TermsOutdated(f"{reason} Nothing was charged.")
    if reason:
        raise PurchaseRefused(reason)


def refuse_unsigned(version: PackageVersion) -> None:
    """Raise PurchaseRefused for a version whose key was revoked."""
    if version.signed_by_revoked_key():
        raise PurchaseRefused(
            "The key that vouches for this version was revoked, so it is not sold until it has a "
            "new receipt."
        )


@transaction.atomic
def open_purchase(
    *, signature: LicenceSignature, buyer: User, purchase_order: str = ""
) -> Purchase:
    """Open the purchase that a signature allows, at today's version and price.

    One signature opens one purchase: asked again, the same one comes back, and its
    purchase-order number may still be corrected while it is unpaid. Raises PurchaseRefused.
    """
    version = PackageVersion.on_sale().filter(package_id=signature.package_id).first()
    if version is None:
        raise PurchaseRefused("This package is not on sale.")
    refuse_unsigned(version)
    refuse_expired(signature)
    refuse_bound(signature)
    refuse_older_terms(signature, version)
    try:
        purchase, new = _get_or_open(signature, version, buyer, purchase_order)
    except IntegrityError:
        # Race: bound at this moment to an earlier purchase. Postgres lets it bind one thing.
        refuse_bound(signature)
        raise
    if not new and purchase.state == Purchase.State.PENDING:
        purchase.purchase_order = purchase_order or purchase.purchase_order
        purchase.save(update_fields=["purchase_order"])
    return purchase


def _get_or_open(
    signature: LicenceSignature, version: PackageVersion, buyer: User, purchase_order: str
) -> tuple[Purchase, bool]:
    price = version.definition.price
    return Purchase.objects.select_for_update(of=("self",)).get_or_create(
        signature=signature,
        defaults={
            "package_id": signature.package_id,
            "version": version,
            "entity_id": signature.entity_id,
            "currency": price.currency,
            "price_minor": price.one_time_minor,
            "maintenance_minor": price.maintenance_minor,
            "purchase_order": purchase_order,
            "buyer": buyer,
        },
    )
