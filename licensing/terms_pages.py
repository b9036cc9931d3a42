"""The public pages of licence terms: each version, and what changed since the one before."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from licensing.models import LicenceTerms
from licensing.terms_difference import difference
from licensing.terms_html import terms_html


@require_safe
def terms_page(request: HttpRequest, family: str, version: str) -> HttpResponse:
    """One version for people: the text, its hash and how to check it, and the other versions."""
    versions, place = _family(family, version)
    context = {
        "terms": versions[place],
        "html": terms_html(versions[place].text),
        "versions": versions,
        "before": _before(versions, place),
        "site_url": settings.SITE_URL,
    }
    return render(request, "licensing/terms.html", context)


@require_safe
def terms_changes(request: HttpRequest, family: str, version: str) -> HttpResponse:
    """What a version says otherwise than the one that was published before it."""
    versions, place = _family(family, version)
    terms, before = versions[place], _before(versions, place)
    context = {
        "terms": terms,
        "before": before,
        "runs": difference(before.text, terms.text) if before else (),
    }
    return render(request, "licensing/terms_changes.html", context)


@require_safe
def terms_text(request: HttpRequest, family: str, version: str) -> HttpResponse:
    """The exact bytes of published terms: their sha256sum is the hash that signatures carry."""
    terms = get_object_or_404(LicenceTerms, family=family, version=version)
    response = HttpResponse(bytes(terms.body), content_type="text/plain; charset=utf-8")
    response["ETag"] = f'"{terms.sha256}"'
    patch_cache_control(response, public=True, max_age=86_400, immutable=True)
    return response


def _family(family: str, version: str) -> tuple[list[LicenceTerms], int]:
    """The versions of a family, newest first, and the place of one of them."""
    versions = list(LicenceTerms.objects.filter(family=family))
    for place, terms in enumerate(versions):
        if terms.version == version:
            return versions, place
    raise Http404("No such terms are published.")


def _before(versions: list[LicenceTerms], place: int) -> LicenceTerms | None:
    return versions[place + 1] if place + 1 < len(versions) else None
