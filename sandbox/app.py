"""The WSGI program: the API, the hosted page, and the control API."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sandbox import api, control, hosted, invoice_page, portal_page
from sandbox.errors import ApiError
from sandbox.faults import ConnectionDropped, Faults
from sandbox.web import Request, Response, json_response, read_request, send

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from sandbox.settings import Settings
    from sandbox.store import Store

log = logging.getLogger(__name__)


class Application:
    """Answers requests from one store."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._faults = Faults()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            response = self._answer(read_request(environ))
        except ApiError as error:
            response = json_response(error.body(), error.status)
        except ConnectionDropped:
            raise
        except Exception:
            # The last resort: a fault of the sandbox itself is Stripe's 500, with the trace here.
            log.exception("The sandbox failed on %s", environ.get("PATH_INFO"))
            fault = ApiError("An error occurred in the sandbox.", status=500, type="api_error")
            response = json_response(fault.body(), fault.status)
        return send(response, start_response)

    def _answer(self, request: Request) -> Response:
        if request.path.startswith("/v1/"):
            return self._call(request)
        if request.path.startswith("/c/"):
            return hosted.answer(request, self._store)
        if request.path.startswith("/i/"):
            return invoice_page.answer(request, self._store)
        if request.path.startswith("/p/"):
            return portal_page.answer(request, self._store)
        if request.path.startswith("/sandbox/"):
            return control.answer(request, self._store, self._settings, self._faults)
        raise ApiError(f"Unrecognized request URL ({request.method}: {request.path}).", status=404)

    def _call(self, request: Request) -> Response:
        """Answer a call of the API, or fail as a control asked: before its effect, or after."""
        fault = self._faults.met(request)
        if fault is None:
            return api.answer(request, self._store, self._settings)
        if fault.when == "after":
            api.answer(request, self._store, self._settings)
        raise fault.strike()
