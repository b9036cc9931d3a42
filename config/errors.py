"""Error pages that Django's own cannot make."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.template.loader import render_to_string

RETRY_SECONDS = 10


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page of a 400. It does not look at the request, which may be what is broken.

    Django's own looks for a CSRF token in the form first: a form in another encoding than
    UTF-8 then fails a second time, and what was a 400 becomes a 500.
    """
    return HttpResponseBadRequest(render_to_string("400.html"))


def server_error(request: HttpRequest) -> HttpResponse:
    """The page of an error of ours: 503 and when to try again while the database is away, else 500.

    It asks the database nothing. Who delivers payments tries again after either.
    """
    # Django calls this while it handles the error, and does not hand it over.
    away = isinstance(sys.exc_info()[1], OperationalError | InterfaceError)
    status = 503 if away else 500
    if request.path.startswith("/api/"):
        detail = "The store is away for a moment." if away else "Something broke on our side."
        response: HttpResponse = JsonResponse({"detail": detail}, status=status)
    else:
        response = HttpResponse(render_to_string(f"{status}.html"), status=status)
    response["Cache-Control"] = "no-store"
    if away:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response
