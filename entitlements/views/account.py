from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from catalog.models import PackageVersion
from entitlements.account import (
    downloads_of,
    is_finance,
    purchases_of,
    signatures_of,
    unused_signatures,
    versions_of,
)
from entitlements.agreeing import AgreementRefused, bind_newer_terms
from entitlements.links import LinkRefused, issue_link
from entitlements.maintaining import maintenance_of
from entitlements.models import BuyerReceipt, Purchase
from entitlements.payers import may_pay
from entitlements.views.transfers import transfer_context
from licensing.access import current_user, entities_of
from licensing.acting import acting_entity
from licensing.models import LicenceSignature


@never_cache
@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """What to do next, then what is owned, for the entity that the person acts for."""
    user = current_user(request)
    entities = list(entities_of(user))
    acting = acting_entity(request, entities)
    context = {
        "acting": acting,
        "entities": entities,
        "purchases": purchases_of(user).filter(entity=acting),
        "unused_signatures": unused_signatures(user).filter(entity=acting),
    }
    return render(request, "entitlements/account.html", context)


@never_cache
@login_required
@require_safe
def purchase(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One purchase: its kit, its receipts, the commands, the agreement and the log."""
    return purchase_page(request, _find(request, pk))


def purchase_page(
    request: HttpRequest, found: Purchase, *, refusal: str = "", status: int = 200
) -> HttpResponse:
    """The page of a purchase, with what was refused on it."""
    context = _context(request, found) | {"refusal": refusal}
    return render(request, "entitlements/purchase.html", context, status=status)


@never_cache
@login_required
@require_POST
def link(request: HttpRequest, pk: UUID, version: str) -> HttpResponse:
    """Issue a download link and show it."""
    bought = _find_paid(request, pk)
    wanted = get_object_or_404(
        PackageVersion.objects.select_related("package", "kit"),
        package_id=bought.package_id,
        version=version,
    )
    try:
        token = issue_link(
            entitlement=bought.entitlement, version=wanted, member=current_user(request)
        )
    except LinkRefused as refusal:
        return purchase_page(request, bought, refusal=str(refusal), status=refusal.status)
    address = settings.SITE_URL + reverse("entitlements:download", args=[token])
    context = _context(request, bought) | {
        "link": address,
        "link_version": wanted,
        "link_minutes": settings.DOWNLOAD_LINK_SECONDS // 60,
    }
    return render(request, "entitlements/purchase.html", context)


@never_cache
@login_required
@require_POST
def agree(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Bind a signature of newer terms to a purchase, so that later versions open."""
    bought = _find_paid(request, pk)
    chosen = _signature_chosen(request)
    refusal = "Choose a signature of this entity."
    if chosen is not None:
        try:
            bind_newer_terms(entitlement=bought.entitlement, signature=chosen)
        except AgreementRefused as error:
            refusal = str(error)
        else:
            return redirect(bought)
    return purchase_page(request, bought, refusal=refusal, status=400)


@never_cache
@login_required
@require_safe
def buyer_receipt(request: HttpRequest, pk: UUID, version: str) -> HttpResponse:
    """The newest buyer receipt of a version, as the exact bytes of its envelope."""
    bought = _find_paid(request, pk)
    found = (
        BuyerReceipt.objects.select_related("receipt")
        .filter(entitlement=bought.entitlement, version__version=version)
        .first()
    )
    if found is None:
        raise Http404("This version has no buyer receipt yet.")
    response = HttpResponse(
        bytes(found.receipt.envelope), content_type="application/vnd.dsse.envelope.v1+json"
    )
    response["Content-Disposition"] = f'attachment; filename="buyer-receipt-{version}.json"'
    return response


def _signature_chosen(request: HttpRequest) -> LicenceSignature | None:
    try:
        number = UUID(request.POST.get("signature", ""))
    except ValueError:
        return None
    return signatures_of(current_user(request)).filter(pk=number).first()


def _find(request: HttpRequest, pk: UUID) -> Purchase:
    return get_object_or_404(purchases_of(current_user(request)), pk=pk)


def _find_paid(request: HttpRequest, pk: UUID) -> Purchase:
    found = _find(request, pk)
    if found.state != Purchase.State.PAID:
        raise Http404("This purchase is not paid.")
    return found


def _context(request: HttpRequest, found: Purchase) -> dict[str, object]:
    paid = found.state == Purchase.State.PAID
    user = current_user(request)
    binds = may_pay(user, found.entity)
    versions = versions_of([found])[0] if paid else []
    waiting = any(each.waits_for_terms for each in versions)
    newer = unused_signatures(user).filter(entity=found.entity_id, package=found.package_id)
    return {
        **({} if paid else transfer_context(request, found)),
        "purchase": found,
        "versions": versions,
        "newer_signature": newer.last() if waiting else None,
        "downloads": downloads_of(found)[:20] if paid else [],
        "maintenance": maintenance_of(found) if paid else None,
        "may_pay": binds,
        "takes_evidence": paid and (binds or is_finance(user)),
        "site_url": settings.SITE_URL,
    }
