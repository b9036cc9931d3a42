"""Sending a kit's bytes: whole or from where a download was cut, logged once a link."""

from __future__ import annotations

import base64
from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from entitlements.links import Redeemed
from entitlements.models import Download
from entitlements.ranges import RangeNotSatisfiable, Span, requested_span

BLOCK = 256 * 1024


def deliver(request: HttpRequest, redeemed: Redeemed) -> HttpResponseBase:
    """The response that carries the kit: 200, 206, 304 or 416. HEAD sends no bytes."""
    size, etag = redeemed.kit.size, f'"{redeemed.kit.sha256}"'
    if etag in request.headers.get("If-None-Match", ""):
        redeemed.file.close()
        return _described(HttpResponse(status=304), redeemed)
    try:
        span = requested_span(
            # RFC 9110, 14.2: a range means something to GET alone.
            header=request.headers.get("Range", "") if request.method == "GET" else "",
            if_range=request.headers.get("If-Range", ""),
            etag=etag,
            size=size,
        )
    except RangeNotSatisfiable:
        redeemed.file.close()
        response = HttpResponse(status=416)
        response["Content-Range"] = f"bytes */{size}"
        return _described(response, redeemed)
    return _described(_body(request, redeemed, span), redeemed)


def _body(request: HttpRequest, redeemed: Redeemed, span: Span | None) -> HttpResponseBase:
    sent = span or Span(0, redeemed.kit.size - 1)
    response: HttpResponseBase
    if request.method == "HEAD":
        redeemed.file.close()
        response = HttpResponse(content_type="application/gzip")
    else:
        _log(redeemed, Download.Event.STARTED)
        response = StreamingHttpResponse(_Stream(redeemed, sent), content_type="application/gzip")
    response["Content-Length"] = str(sent.length)
    if span is not None:
        response.status_code = 206
        response["Content-Range"] = span.header(redeemed.kit.size)
    return response


def _described(response: HttpResponseBase, redeemed: Redeemed) -> HttpResponseBase:
    digest = base64.b64encode(bytes.fromhex(redeemed.kit.sha256)).decode()
    response["ETag"] = f'"{redeemed.kit.sha256}"'
    response["Repr-Digest"] = f"sha-256=:{digest}:"  # RFC 9530
    response["Accept-Ranges"] = "bytes"
    response["Cache-Control"] = "private, no-store"
    response["Content-Disposition"] = f'attachment; filename="{redeemed.version.kit_name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


class _Stream:
    """A span of the kit, block by block. Closing it closes the file, also when none was read."""

    def __init__(self, redeemed: Redeemed, span: Span) -> None:
        self._redeemed, self._span = redeemed, span

    def __iter__(self) -> Iterator[bytes]:
        file, left = self._redeemed.file, self._span.length
        file.seek(self._span.first)
        while left:
            block = file.read(min(BLOCK, left))
            if not block:
                return
            left -= len(block)
            yield block
        if self._span.last == self._redeemed.kit.size - 1:
            _log(self._redeemed, Download.Event.COMPLETED, bytes_sent=self._redeemed.kit.size)

    def close(self) -> None:
        self._redeemed.file.close()


def _log(redeemed: Redeemed, event: Download.Event, bytes_sent: int | None = None) -> None:
    issued = redeemed.issued
    row = Download(
        link=issued.link,
        event=event,
        entitlement=issued.entitlement,
        version=issued.version,
        member_id=issued.member_id,
        kit_sha256=issued.kit_sha256,
        bytes_sent=bytes_sent,
    )
    # A second range of the same download finds its row there: one download, one row.
    Download.objects.bulk_create([row], ignore_conflicts=True)
