from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from catalog.models import PackageVersion
from entitlements.account import is_finance, may_pay, purchases_of
from entitlements.models import ProForma, Purchase
from entitlements.pro_forma import MONTHS, ProFormaRefused, asked_by_transfer, issue_pro_forma
from entitlements.pro_forma_paper import pro_forma_pdf
from entitlements.seller import seller
from licensing.access import current_user

ENGINEERS = "Owners and signers of the entity pay for it and have its invoices."
LONGEST_ORDER = 80


@never_cache
@login_required
@require_POST
def pro_forma(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Issue the pro-forma invoice of a purchase, or find it, and show where to pay."""
    purchase = get_object_or_404(purchases_of(current_user(request)), pk=pk)
    order = request.POST.get("purchase_order", "").strip().replace("\0", "")[:LONGEST_ORDER]
    return by_transfer(request, purchase, purchase_order=order)


@never_cache
@login_required
@require_safe
def pro_forma_paper(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The pro-forma invoice as PDF, for who may pay, and finance."""
    user = current_user(request)
    papers = ProForma.objects.select_related(
        "purchase__package", "purchase__version__package", "purchase__signature"
    )
    if not is_finance(user):
        papers = papers.filter(purchase__in=purchases_of(user).order_by().values("pk"))
    paper = get_object_or_404(papers, purchase=pk)
    if not (is_finance(user) or may_pay(user, paper.purchase)):
        raise PermissionDenied(ENGINEERS)
    response = HttpResponse(pro_forma_pdf(paper), content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="pro-forma-{paper.name}.pdf"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def by_transfer(
    request: HttpRequest, purchase: Purchase, *, purchase_order: str = ""
) -> HttpResponse:
    """Issue the invoice and lead to the purchase's page, which tells where to pay."""
    if not may_pay(current_user(request), purchase):
        raise PermissionDenied(ENGINEERS)
    try:
        paper = issue_pro_forma(purchase=purchase, purchase_order=purchase_order)
    except ProFormaRefused as refusal:
        messages.error(request, str(refusal))
    else:
        if purchase_order and paper.purchase_order != purchase_order:
            messages.warning(
                request,
                f"{paper.name} was issued before with purchase order "
                f"{paper.purchase_order or 'none'}, and stays as it is.",
            )
    return redirect(purchase)


def transfer_context(request: HttpRequest, purchase: Purchase) -> dict[str, object]:
    """What a page on an unpaid purchase says of paying it by bank transfer."""
    return {
        "pro_forma": ProForma.objects.filter(purchase=purchase).first(),
        "seller": seller(),
        "may_pay": may_pay(current_user(request), purchase),
        "transfer_minor": asked_by_transfer(purchase),
    }


def offered_by_transfer(version: PackageVersion) -> int:
    """What a transfer for a version would bring, in minor units; 0 where none is taken."""
    price = version.definition.price
    return price.one_time_minor + MONTHS * price.maintenance_minor if seller() else 0
