"""What depends on who asks is nobody else's to keep."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers, has_vary_header

Answering = Callable[[HttpRequest], HttpResponse]


def private_by_default(get_response: Answering) -> Answering:
    """Forbid every cache to keep an answer that read the session and says nothing of caching.

    Such are the pages of allauth, which say nothing, the API and the error pages.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not response.has_header("Cache-Control") and has_vary_header(response, "Cookie"):
            add_never_cache_headers(response)
        return response

    return answer
