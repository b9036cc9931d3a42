from __future__ import annotations

import hashlib
import json

from csp.decorators import csp_replace
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import quote_etag
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe
from touchstone.envelope import sigstore_bundle
from touchstone.statement import parse_statement

from catalog.cards import as_json, card_of
from catalog.charts import serving_curve
from catalog.measured import measured
from catalog.models import PackageVersion
from catalog.statements import sealed_findings
from catalog.stories import story_parts
from receipts.models import Receipt


@require_safe
def catalogue(request: HttpRequest) -> HttpResponse:
    """What is on sale: the newest version of each package."""
    newest: dict[int, PackageVersion] = {}
    for version in PackageVersion.on_sale():
        newest.setdefault(version.package_id, version)
    cards = [card_of(version) for version in newest.values()]
    return _page(request, "catalog/catalogue.html", {"cards": cards})


@require_safe
def package(request: HttpRequest, slug: str) -> HttpResponse:
    """A package, at its newest version on sale."""
    return _version_page(request, _newest(slug))


@require_safe
def version(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """One version: on sale, or withdrawn with the reason (410)."""
    found = _public(slug, version)
    return _version_page(request, found)


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]  # typed for views without arguments
def card(request: HttpRequest, slug: str) -> HttpResponse:
    """The card for other sites to frame."""
    response = render(request, "catalog/card_embed.html", {"card": card_of(_newest(slug))})
    return _conditional(request, response)


@require_safe
def card_json(request: HttpRequest, slug: str) -> HttpResponse:
    """The card as data."""
    body = json.dumps(as_json(card_of(_newest(slug))), indent=2)
    return _conditional(request, HttpResponse(body, content_type="application/json"))


@require_safe
def receipt(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """The benchmark receipt: the exact bytes of its envelope."""
    envelope = _envelope(_public(slug, version))
    return _conditional(request, HttpResponse(envelope, content_type="application/json"))


@require_safe
def receipt_bundle(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """The same envelope as a Sigstore bundle."""
    bundle = sigstore_bundle(_envelope(_public(slug, version)))
    return _conditional(request, HttpResponse(bundle, content_type="application/json"))


@require_safe
def receipt_page(request: HttpRequest, payload_sha256: str) -> HttpResponse:
    """A benchmark receipt for people. Buyer receipts are not public."""
    found = get_object_or_404(
        Receipt.objects.select_related("key"),
        payload_sha256=payload_sha256,
        kind=Receipt.Kind.BENCHMARK,
    )
    version = (
        found.versions.select_related("package", "kit", "benchmark_receipt__key")
        .exclude(state__in=[PackageVersion.State.DRAFT, PackageVersion.State.SEALED])
        .first()
    )
    if version is None:
        raise Http404("No published version has this receipt.")
    statement = parse_statement(found.payload)
    context = {"receipt": found, "subjects": statement.subjects, **_context(version)}
    return _page(request, "catalog/receipt.html", context)


def _newest(slug: str) -> PackageVersion:
    found = PackageVersion.on_sale().filter(package__slug=slug).first()
    if found is None:
        raise Http404("No such package is on sale.")
    return found


def _public(slug: str, version: str) -> PackageVersion:
    return get_object_or_404(
        PackageVersion.objects.select_related("package", "kit", "benchmark_receipt__key").filter(
            state__in=[PackageVersion.State.PUBLISHED, PackageVersion.State.WITHDRAWN]
        ),
        package__slug=slug,
        version=version,
    )


def _envelope(version: PackageVersion) -> bytes:
    if version.benchmark_receipt is None:
        raise Http404("This version has no receipt.")
    return bytes(version.benchmark_receipt.envelope)


def _version_page(request: HttpRequest, version: PackageVersion) -> HttpResponse:
    siblings = version.package.versions.filter(
        state__in=[PackageVersion.State.PUBLISHED, PackageVersion.State.WITHDRAWN]
    ).defer("data", "story")
    context = _context(version) | {"versions": siblings, "story": story_parts(version.story)}
    withdrawn = version.state == PackageVersion.State.WITHDRAWN
    return _page(request, "catalog/package.html", context, status=410 if withdrawn else 200)


def _context(version: PackageVersion) -> dict[str, object]:
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


def _page(
    request: HttpRequest, template: str, context: dict[str, object], status: int = 200
) -> HttpResponse:
    response = render(request, template, context, status=status)
    # The header names who is signed in: no shared cache may keep it for somebody else.
    patch_cache_control(response, private=True, max_age=0, must_revalidate=True)
    patch_vary_headers(response, ["Cookie"])
    return response


def _conditional(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Give the response a strong ETag over its bytes, and answer 304 where that is enough."""
    etag = quote_etag(hashlib.sha256(response.content).hexdigest())
    response["ETag"] = etag
    response["Access-Control-Allow-Origin"] = "*"
    patch_cache_control(response, public=True, max_age=0, must_revalidate=True)
    conditional = get_conditional_response(request, etag=etag, response=response)
    return conditional if isinstance(conditional, HttpResponse) else response
