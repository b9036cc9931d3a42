"""Stripe's webhook signature: `t=<seconds>,v1=<HMAC-SHA256 of "t.body">`."""

from __future__ import annotations

import hashlib
import hmac


def signature_header(body: bytes, *, secret: str, now: int) -> str:
    """Return the Stripe-Signature header of `body`, signed at `now` (Unix seconds)."""
    signed = str(now).encode() + b"." + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return f"t={now},v1={digest}"
