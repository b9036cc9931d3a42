from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from entitlements.account import is_finance, may_take_evidence, purchases_of
from entitlements.evidence.bundling import build_bundle, bundle_name
from entitlements.models import Purchase
from licensing.access import current_user
from licensing.models import User

if TYPE_CHECKING:
    from django.db.models import QuerySet


@never_cache
@login_required
@require_safe
def evidence(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The evidence of a paid purchase as an archive, for who may bind the entity, and finance."""
    user = current_user(request)
    purchase = get_object_or_404(_visible(user), pk=pk, state=Purchase.State.PAID)
    if not may_take_evidence(user, purchase):
        raise PermissionDenied("Owners and signers of the entity take its evidence.")
    response = HttpResponse(build_bundle(purchase), content_type="application/gzip")
    response["Content-Disposition"] = f'attachment; filename="{bundle_name(purchase)}.tar.gz"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _visible(user: User) -> QuerySet[Purchase]:
    if is_finance(user):
        return Purchase.objects.select_related("package", "version", "signature", "entitlement")
    return purchases_of(user)
