from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from entitlements.account import is_finance, may_take_evidence, purchases_of
from entitlements.evidence.bundled_licences import newer_signatures
from entitlements.evidence.bundling import build_bundle, bundle_name
from entitlements.evidence.recording import BundleTooLarge
from entitlements.models import Purchase
from licensing.access import current_user
from licensing.models import User

if TYPE_CHECKING:
    from django.db.models import QuerySet

logger = logging.getLogger(__name__)


@never_cache
@login_required
@require_safe
def evidence(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The evidence of a paid purchase as an archive, for who may bind the entity, and finance."""
    user = current_user(request)
    purchase = get_object_or_404(_visible(user), pk=pk, state=Purchase.State.PAID)
    if not may_take_evidence(user, purchase):
        raise PermissionDenied("Owners and signers of the entity take its evidence.")
    try:
        archive = build_bundle(purchase)
    except BundleTooLarge as error:
        return _too_large(request, purchase, str(error))
    response = HttpResponse(archive, content_type="application/gzip")
    response["Content-Disposition"] = f'attachment; filename="{bundle_name(purchase)}.tar.gz"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _too_large(request: HttpRequest, purchase: Purchase, reason: str) -> HttpResponse:
    # Whoever keeps the store hands the rest over: they hear of it here.
    logger.warning("no evidence bundle of purchase %s: %s", purchase.pk, reason)
    context = {
        "purchase": purchase,
        "reason": reason,
        "is_member": purchases_of(current_user(request)).filter(pk=purchase.pk).exists(),
        "newer_signatures": newer_signatures(purchase).select_related("terms"),
    }
    return render(request, "entitlements/evidence_too_large.html", context, status=409)


def _visible(user: User) -> QuerySet[Purchase]:
    if is_finance(user):
        return Purchase.objects.select_related("package", "version", "signature", "entitlement")
    return purchases_of(user)
