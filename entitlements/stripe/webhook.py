from __future__ import annotations

import json
import logging

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from entitlements.inbox import receive_event
from entitlements.stripe.client import PROVIDER

logger = logging.getLogger(__name__)


@csrf_exempt  # Stripe signs its requests instead
@require_POST
def stripe_webhook(request: HttpRequest) -> HttpResponse:
    """Verify an event's signature over the raw body, then store and apply it."""
    from stripe import SignatureVerificationError, WebhookSignature  # see client.py

    body = request.body
    try:
        WebhookSignature.verify_header(
            body.decode("utf-8"),
            request.headers.get("Stripe-Signature", ""),
            settings.STRIPE_WEBHOOK_SECRET or _refuse(),
            tolerance=300,
        )
        event = json.loads(body)
        event_id, kind = str(event["id"]), str(event["type"])
        subject = event["data"]["object"]
    except SignatureVerificationError:
        return JsonResponse({"error": "Stripe-Signature: does not verify"}, status=400)
    except (ValueError, KeyError, TypeError):
        return JsonResponse({"error": "body: not an event"}, status=400)
    outcome = receive_event(
        provider=PROVIDER, event_id=event_id, kind=kind, subject=subject, payload=event
    )
    return JsonResponse({"outcome": outcome})


def _refuse() -> str:
    # An empty secret would verify anything signed with an empty secret.
    logger.error("STRIPE_WEBHOOK_SECRET is not set: every event is refused")
    raise ValueError
