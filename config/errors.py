"""Error pages that Django's own cannot make."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.template.loader import render_to_string


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page of a 400. It does not look at the request, which may be what is broken.

    Django's own looks for a CSRF token in the form first: a form in another encoding than
    UTF-8 then fails a second time, and what was a 400 becomes a 500.
    """
    return HttpResponseBadRequest(render_to_string("400.html"))
