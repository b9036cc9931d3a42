from __future__ import annotations

import json

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from catalog.cards import as_json, card_of
from catalog.checking import how_to_check
from catalog.models import PUBLIC, PackageVersion
from catalog.pages import (
    conditional_response,
    newest_version,
    page,
    public_version,
    version_context,
)
from catalog.stories import story_parts


@require_safe
def catalogue(request: HttpRequest) -> HttpResponse:
    """What is on sale: the newest version of each package."""
    newest: dict[int, PackageVersion] = {}
    for version in PackageVersion.on_sale():
        newest.setdefault(version.package_id, version)
    cards = [card_of(version) for version in newest.values()]
    return page(request, "catalog/catalogue.html", {"cards": cards})


@require_safe
def check(request: HttpRequest) -> HttpResponse:
    """How to check receipt, kit and weights with others' tools."""
    return page(request, "catalog/check.html", {"how_to_check": how_to_check()})


@require_safe
def package(request: HttpRequest, slug: str) -> HttpResponse:
    """A package, at its newest version on sale."""
    return _version_page(request, newest_version(slug))


@require_safe
def version(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """One version: on sale, or withdrawn with the reason (410)."""
    found = public_version(slug, version)
    return _version_page(request, found)


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]  # typed for views without arguments
def card(request: HttpRequest, slug: str) -> HttpResponse:
    """The card for other sites to frame."""
    response = render(request, "catalog/card_embed.html", {"card": card_of(newest_version(slug))})
    return conditional_response(request, response)


@require_safe
def card_json(request: HttpRequest, slug: str) -> HttpResponse:
    """The card as data."""
    body = json.dumps(as_json(card_of(newest_version(slug))), indent=2)
    return conditional_response(request, HttpResponse(body, content_type="application/json"))


def _version_page(request: HttpRequest, version: PackageVersion) -> HttpResponse:
    siblings = version.package.versions.filter(state__in=PUBLIC).defer("data", "story")
    context = version_context(version) | {"versions": siblings, "story": story_parts(version.story)}
    withdrawn = version.state == PackageVersion.State.WITHDRAWN
    return page(request, "catalog/package.html", context, status=410 if withdrawn else 200)
