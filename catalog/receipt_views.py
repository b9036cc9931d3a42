"""The benchmark receipt: for programs, for people, and to print."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe
from touchstone.envelope import sigstore_bundle
from touchstone.statement import parse_statement

from catalog.history import history
from catalog.pages import (
    conditional_response,
    envelope_of,
    page,
    public_version,
    version_context,
)
from catalog.printing import receipt_pdf as as_pdf
from catalog.receipt_history import receipts_of_the_same_bytes, versions_beside
from receipts.models import RawFile


@require_safe
def receipt(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """The benchmark receipt: the exact bytes of its envelope."""
    envelope = envelope_of(public_version(slug, version))
    return conditional_response(request, HttpResponse(envelope, content_type="application/json"))


@require_safe
def receipt_bundle(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """The same envelope as a Sigstore bundle."""
    bundle = sigstore_bundle(envelope_of(public_version(slug, version)))
    return conditional_response(request, HttpResponse(bundle, content_type="application/json"))


@require_safe
def raw_file(request: HttpRequest, slug: str, version: str, sha256: str) -> HttpResponse:
    """A file that a benchmark tool wrote, if this version lists it: the exact bytes."""
    listed = public_version(slug, version).definition.raw_files
    entry = next((file for file in listed if file.sha256 == sha256), None)
    if entry is None:
        raise Http404("This version lists no such raw file.")
    kind = "application/x-ndjson" if entry.name.endswith(".jsonl") else "application/json"
    content = bytes(get_object_or_404(RawFile, sha256=sha256).content)
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{entry.name}"'
    return conditional_response(request, response)


@require_safe
def receipt_page(request: HttpRequest, payload_sha256: str) -> HttpResponse:
    """A benchmark receipt for people. Buyer receipts are not public."""
    return page(request, "catalog/receipt.html", _context(payload_sha256))


@require_safe
def receipt_pdf(request: HttpRequest, payload_sha256: str) -> HttpResponse:
    """The same on one sheet of paper."""
    context = _context(payload_sha256)
    response = HttpResponse(as_pdf(context), content_type="application/pdf")
    name = f"{context['card'].kit_name.removesuffix('.tar.gz')}-receipt.pdf"
    response["Content-Disposition"] = content_disposition_header(False, name) or ""
    return conditional_response(request, response)


def _context(payload_sha256: str) -> dict[str, Any]:
    receipts = receipts_of_the_same_bytes(payload_sha256)
    found = next((each for each in receipts if each.payload_sha256 == payload_sha256), None)
    versions = versions_beside(found) if found else []
    if found is None or not versions:
        raise Http404("No published version has this receipt.")
    version = versions[0]
    return version_context(version) | {
        "receipt": found,
        "subjects": parse_statement(found.payload).subjects,
        "receipts": receipts,
        "successor": None if version.signed_by_revoked_key() else version.benchmark_receipt,
        "history": history(version, versions),
    }
