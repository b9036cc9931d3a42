from __future__ import annotations

import json
import logging
from typing import Any

from django.conf import settings
from django.db import DataError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from entitlements.inbox import receive_event
from entitlements.stripe.client import PROVIDER, StripeNotConfigured

logger = logging.getLogger(__name__)
TOLERANCE_SECONDS = 300


@csrf_exempt  # Stripe signs its requests instead
@require_POST
def stripe_webhook(request: HttpRequest) -> HttpResponse:
    """Verify an event's signature over the raw body, then store and apply it."""
    from stripe import StripeError  # see client.py

    if not _is_signed(request.body, request.headers.get("Stripe-Signature", "")):
        return _refusal("Stripe-Signature: does not verify")
    event = _read(request.body)
    if event is None:
        return _refusal("body: not an event")
    try:
        outcome = receive_event(
            provider=PROVIDER,
            event_id=event["id"],
            kind=event["type"],
            subject=event["data"]["object"],
            payload=event,
        )
    except DataError:
        # NUL, half a surrogate, a name too long: JSON allows what a column does not.
        return _refusal("body: holds what cannot be stored")
    except (StripeError, StripeNotConfigured) as error:
        # Nothing is stored: Stripe sends it again, and then may answer.
        logger.warning("event %s: %s", event["id"], error)
        return _refusal("Stripe could not be asked about it", status=503)
    return JsonResponse({"outcome": outcome})


def _is_signed(body: bytes, header: str) -> bool:
    from stripe import SignatureVerificationError, WebhookSignature  # see client.py

    # An empty secret would verify anything signed with an empty secret.
    if not settings.STRIPE_WEBHOOK_SECRET.strip():
        logger.error("STRIPE_WEBHOOK_SECRET is not set: every event is refused")
        return False
    try:
        WebhookSignature.verify_header(
            body.decode("utf-8"),
            header,
            settings.STRIPE_WEBHOOK_SECRET,
            tolerance=TOLERANCE_SECONDS,
        )
    except (SignatureVerificationError, ValueError, TypeError):
        # ValueError: the body is no text. TypeError: the header has letters beyond ASCII.
        return False
    return True


def _read(body: bytes) -> dict[str, Any] | None:
    try:
        event: dict[str, Any] = json.loads(body, parse_constant=_no_number)
        names = (event["id"], event["type"])
        well_formed = isinstance(event["data"]["object"], dict) and all(
            isinstance(name, str) and name.encode() for name in names
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return event if well_formed else None


def _no_number(name: str) -> None:
    raise ValueError(name)


def _refusal(reason: str, *, status: int = 400) -> JsonResponse:
    return JsonResponse({"error": reason}, status=status)
