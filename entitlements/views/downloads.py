from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from entitlements.delivery import deliver
from entitlements.links import LinkRefused, redeem


@require_safe
def download(request: HttpRequest, token: str) -> HttpResponseBase:
    """Redeem a link: the kit's bytes, or a clear refusal."""
    try:
        redeemed = redeem(token=token)
    except LinkRefused as refusal:
        return _refused(request, refusal)
    return deliver(request, redeemed)


def _refused(request: HttpRequest, refusal: LinkRefused) -> HttpResponse:
    if request.accepts("text/html") and "text/html" in request.headers.get("Accept", ""):
        context = {"reason": str(refusal)}
        response = render(request, "entitlements/refused.html", context, status=refusal.status)
    else:
        response = HttpResponse(
            f"{refusal}\n", status=refusal.status, content_type="text/plain; charset=utf-8"
        )
    response["Cache-Control"] = "no-store"
    return response
