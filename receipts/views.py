from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from receipts.keys import jwks_document, keys_document


@require_safe
@cache_control(public=True, max_age=60)
def keys_json(request: HttpRequest) -> HttpResponse:
    """Every public key with status and dates."""
    return _open_to_all(HttpResponse(keys_document(), content_type="application/json"))


@require_safe
@cache_control(public=True, max_age=60)
def jwks(request: HttpRequest) -> HttpResponse:
    """The same keys as a plain JWK set."""
    return _open_to_all(HttpResponse(jwks_document(), content_type="application/jwk-set+json"))


def _open_to_all(response: HttpResponse) -> HttpResponse:
    response["Access-Control-Allow-Origin"] = "*"
    return response
