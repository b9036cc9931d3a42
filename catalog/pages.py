"""What the public views share: finding a version, its context, and cache headers."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import quote_etag

from catalog.cards import card_of
from catalog.charts import serving_curve
from catalog.measured import measured
from catalog.models import PUBLIC, PackageVersion
from catalog.statements import sealed_findings


def newest_version(slug: str) -> PackageVersion:
    """The newest version of a package on sale, or 404."""
    found = PackageVersion.on_sale().filter(package__slug=slug).first()
    if found is None:
        raise Http404("No such package is on sale.")
    return found


def public_version(slug: str, version: str) -> PackageVersion:
    """A version that was published, withdrawn or not, or 404."""
    return get_object_or_404(
        PackageVersion.objects.select_related("package", "kit", "benchmark_receipt__key").filter(
            state__in=PUBLIC
        ),
        package__slug=slug,
        version=version,
    )


def envelope_of(version: PackageVersion) -> bytes:
    """The exact bytes of a version's benchmark receipt, or 404."""
    if version.benchmark_receipt is None:
        raise Http404("This version has no receipt.")
    return bytes(version.benchmark_receipt.envelope)


def version_context(version: PackageVersion) -> dict[str, object]:
    """What the templates of a version's pages show."""
    definition, receipt = version.definition, version.benchmark_receipt
    findings = sealed_findings(receipt) if receipt else ()
    return {
        "version": version,
        "definition": definition,
        "card": card_of(version),
        "curve": serving_curve((*definition.measured_points, *definition.other_points)),
        "measured": measured(definition, findings),
        "findings": findings,
        "files": version.kit.files if version.kit else [],
        "site_url": settings.SITE_URL,
    }


def page(
    request: HttpRequest, template: str, context: dict[str, object], status: int = 200
) -> HttpResponse:
    """A page whose header names who is signed in."""
    response = render(request, template, context, status=status)
    # The header names who is signed in: no shared cache may keep it for somebody else.
    patch_cache_control(response, private=True, max_age=0, must_revalidate=True)
    patch_vary_headers(response, ["Cookie"])
    return response


def conditional_response(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Give the response a strong ETag over its bytes, and answer 304 where that is enough."""
    etag = quote_etag(hashlib.sha256(response.content).hexdigest())
    response["ETag"] = etag
    response["Access-Control-Allow-Origin"] = "*"
    patch_cache_control(response, public=True, max_age=0, must_revalidate=True)
    conditional = get_conditional_response(request, etag=etag, response=response)
    return conditional if isinstance(conditional, HttpResponse) else response
