"""A telephone with an authenticator app: RFC 6238 by its text, not by the code that it tests."""

from __future__ import annotations

import base64
import hashlib
import hmac
import struct
import time
from typing import Any

from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client

from licensing.models import User

PASSWORD = "a long pass phrase"
ASKS = "/accounts/2fa/authenticate/"


def code_of(secret: str, *, steps: int = 0) -> str:
    """What the app shows now, or some steps of thirty seconds from now."""
    counter = struct.pack(">Q", int(time.time()) // 30 + steps)
    digest = hmac.new(base64.b32decode(secret), counter, hashlib.sha1).digest()
    place = digest[-1] & 15
    number = int.from_bytes(digest[place : place + 4], "big") & 0x7FFFFFFF
    return f"{number % 1_000_000:06d}"


def other_code(secret: str) -> str:
    """A code that the app does not show in these minutes."""
    near = {code_of(secret, steps=step) for step in range(-3, 4)}
    return next(code for code in (f"{n:06d}" for n in range(10)) if code not in near)


def with_device(user: User) -> str:
    """Set up an app and recovery codes for an account; returns the app's secret."""
    secret: str = generate_totp_secret()
    TOTP.activate(user, secret)
    RecoveryCodes.activate(user)
    return secret


def half_signed_in(user: User) -> Client:
    """A browser in which the password was given, and the code is asked for."""
    client = Client()
    response: Any = client.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    assert response.headers["Location"] == ASKS
    return client
