from __future__ import annotations

import logging
from collections.abc import Callable
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from entitlements.account import purchases_of
from entitlements.maintaining import RenewalRefused, refuse_renewal
from entitlements.models import Purchase
from entitlements.payers import require_payer
from entitlements.stripe.checkout import start_checkout
from entitlements.stripe.client import StripeNotConfigured
from entitlements.stripe.portal import NoCustomer, open_portal
from entitlements.stripe.reading import MAINTENANCE
from entitlements.views.account import purchase_page
from entitlements.views.buying import PROVIDER_SILENT
from licensing.access import current_user

logger = logging.getLogger(__name__)


@never_cache
@login_required
@require_POST
def portal(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Go to the provider's pages for cards, invoices and cancelling."""
    return _lead(request, _payable(request, pk), open_portal)


@never_cache
@login_required
@require_POST
def resubscribe(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Pay maintenance again after it ended."""

    def begin(purchase: Purchase) -> str:
        refuse_renewal(purchase)
        return start_checkout(purchase, purpose=MAINTENANCE)

    return _lead(request, _payable(request, pk), begin)


def _payable(request: HttpRequest, pk: UUID) -> Purchase:
    user = current_user(request)
    found = get_object_or_404(purchases_of(user), pk=pk, state=Purchase.State.PAID)
    require_payer(user, found.entity)
    return found


def _lead(
    request: HttpRequest, purchase: Purchase, address: Callable[[Purchase], str]
) -> HttpResponse:
    from stripe import StripeError  # see stripe/client.py

    try:
        response = redirect(address(purchase))
    except (NoCustomer, RenewalRefused) as refusal:
        return purchase_page(request, purchase, refusal=str(refusal), status=409)
    except (StripeError, StripeNotConfigured) as error:
        logger.warning("purchase %s: %s", purchase.pk, error)
        return purchase_page(request, purchase, refusal=PROVIDER_SILENT, status=503)
    response.status_code = 303
    return response
