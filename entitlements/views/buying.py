from __future__ import annotations

import logging
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from catalog.models import PackageVersion
from entitlements.account import purchases_of, signatures_of, unused_signatures
from entitlements.entering import PaymentMismatch
from entitlements.forms import BuyForm
from entitlements.models import Purchase
from entitlements.payers import require_payer
from entitlements.purchasing import (
    PurchaseRefused,
    SignAgain,
    open_purchase,
    refuse_unsigned,
)
from entitlements.signature_validity import EXPIRED
from entitlements.stripe.checkout import start_checkout
from entitlements.stripe.client import StripeNotConfigured
from entitlements.stripe.settling import settle_purchase
from entitlements.views.transfers import by_transfer, offered_by_transfer
from licensing.access import current_user
from licensing.acting import acting_entity
from licensing.views import package_on_sale
from receipts.models import SigningKey
from receipts.private_keys import PrivateKeyError

logger = logging.getLogger(__name__)
PROVIDER_SILENT = (
    "The payment provider does not answer just now. Nothing was charged; please try again."
)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def buy(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose the acting entity's signed licence to buy with, then pay at the provider."""
    version = package_on_sale(slug)
    # A second click on the button posts a signature that the first has used already.
    choose = signatures_of if request.method == "POST" else unused_signatures
    signatures = choose(current_user(request)).filter(
        package=version.package, entity=acting_entity(request)
    )
    if request.method != "POST":
        signatures = signatures.exclude(EXPIRED)
    if not signatures.exists():
        return _without_signature(request, version)
    form = BuyForm(
        request.POST if request.method == "POST" else None,
        signatures=signatures,
        initial={"signature": request.GET.get("signature") or signatures.last()},
    )
    if request.method == "POST" and form.is_valid():
        require_payer(current_user(request), form.signature_chosen().entity)
        try:
            purchase = open_purchase(
                signature=form.signature_chosen(),
                buyer=current_user(request),
                purchase_order=form.cleaned_data["purchase_order"],
            )
        except SignAgain as late:
            messages.error(request, str(late))
            return redirect("licensing:licence", slug)
        except PurchaseRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            if "transfer" in request.POST and purchase.state == Purchase.State.PENDING:
                return by_transfer(request, purchase)
            return _onwards(request, purchase)
    context = {"version": version, "form": form, "transfer_minor": offered_by_transfer(version)}
    return render(request, "entitlements/buy.html", context, status=400 if form.is_bound else 200)


def _without_signature(request: HttpRequest, version: PackageVersion) -> HttpResponse:
    # Back from the payment page with the browser's button: that purchase is still to be paid.
    begun = purchases_of(current_user(request)).filter(
        package=version.package, state=Purchase.State.PENDING, entity=acting_entity(request)
    )
    purchase = begun.first()
    return redirect(purchase or reverse("licensing:licence", args=[version.package.slug]))


@never_cache
@login_required
@require_http_methods(["POST"])
def pay(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Go (back) to the provider with a purchase that is not paid yet."""
    purchase = get_object_or_404(purchases_of(current_user(request)), pk=pk)
    require_payer(current_user(request), purchase.entity)
    return _onwards(request, purchase)


@never_cache
@login_required
@require_safe
def returned(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Back from the provider: ask it, then show the kit; while it works on it, ask again."""
    purchase = get_object_or_404(purchases_of(current_user(request)), pk=pk)
    problem = ""
    # A paid purchase comes back too, from paying its maintenance again.
    own = request.GET.get("session_id") == purchase.checkout_session
    if purchase.state == Purchase.State.PENDING or own:
        problem = _settle(purchase)
        purchase.refresh_from_db()
    if purchase.state == Purchase.State.PAID:
        return redirect(purchase)
    response = render(
        request, "entitlements/returned.html", {"purchase": purchase, "problem": problem}
    )
    if not problem:
        response["Refresh"] = "3"  # moves on by itself, without a script
    return response


def _settle(purchase: Purchase) -> str:
    from stripe import StripeError  # see stripe/client.py

    try:
        settle_purchase(purchase)
    except PaymentMismatch:
        logger.exception("purchase %s: the amount is not the price", purchase.pk)
        return "The amount that arrived is not the price. Our finance staff will write to you."
    except (StripeError, StripeNotConfigured) as error:
        logger.warning("purchase %s: %s", purchase.pk, error)
    except (SigningKey.DoesNotExist, PrivateKeyError):
        # The money is at Stripe: with a key it is entered, by this page, an event or the sweep.
        logger.exception("purchase %s: no key signs its buyer receipt", purchase.pk)
    return ""


def _onwards(request: HttpRequest, purchase: Purchase) -> HttpResponse:
    if purchase.state == Purchase.State.PAID:
        return redirect(purchase)
    return _to_checkout(request, purchase)


def _to_checkout(request: HttpRequest, purchase: Purchase) -> HttpResponse:
    from stripe import StripeError  # see stripe/client.py

    try:
        # A purchase may have been opened before its version's key was revoked.
        refuse_unsigned(purchase.version)
        response = redirect(start_checkout(purchase))
    except PurchaseRefused as refusal:
        context = {"purchase": purchase, "problem": str(refusal)}
        return render(request, "entitlements/returned.html", context, status=409)
    except (StripeError, StripeNotConfigured) as error:
        logger.warning("purchase %s: %s", purchase.pk, error)
        context = {"purchase": purchase, "problem": PROVIDER_SILENT}
        return render(request, "entitlements/returned.html", context, status=503)
    response.status_code = 303
    return response
