"""Liveness and readiness. Neither says anything that a stranger may not know."""

from __future__ import annotations

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from receipts.root import is_unsigned


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """The database answers, and its schema is this code's. 503 with the reason otherwise.

    What asks for a person and stops nothing is a warning beside the 200.
    """
    try:
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return JsonResponse({"status": "unavailable", "reason": "database"}, status=503)
    if pending:
        return JsonResponse({"status": "unavailable", "reason": "migrations"}, status=503)
    try:
        warnings = ["keys.json is not signed by the root"] if is_unsigned() else []
    except DatabaseError:
        return JsonResponse({"status": "unavailable", "reason": "database"}, status=503)
    return JsonResponse({"status": "ok"} | ({"warnings": warnings} if warnings else {}))
