from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from touchstone.root import root_document

from receipts.keys import jwks_document, keys_document
from receipts.root import current_root, current_signed_keys


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


@require_safe
def keys_dsse(request: HttpRequest) -> HttpResponse:
    """The current keys.json in the envelope that the root signed, or 503."""
    signed = current_signed_keys()
    if signed is None:
        return _without_root("The root has not signed the current keys yet.", status=503)
    envelope = bytes(signed.envelope)
    return _current(HttpResponse(envelope, content_type="application/vnd.dsse.envelope.v1+json"))


@require_safe
def root_json(request: HttpRequest) -> HttpResponse:
    """The root's public half and its fingerprint; 404 while there is no root."""
    root = current_root()
    if root is None:
        return _without_root("This store has no root yet.", status=404)
    return _current(HttpResponse(root_document(root), content_type="application/json"))


def _without_root(reason: str, *, status: int) -> HttpResponse:
    response = HttpResponse(f"{reason}\n", status=status, content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "no-store"
    return _open_to_all(response)


def _current(response: HttpResponse) -> HttpResponse:
    patch_cache_control(response, public=True, max_age=60)
    return _open_to_all(response)


def _open_to_all(response: HttpResponse) -> HttpResponse:
    response["Access-Control-Allow-Origin"] = "*"
    return response
