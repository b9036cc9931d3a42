"""Second factors: secrets encrypted where they are stored, and a set-up that counts as shown."""

from __future__ import annotations

import base64

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.dispatch import receiver
from django.http import HttpRequest

from licensing.models import User

PURPOSE = b"touchstone: secrets of second factors"


class MFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """Whoever reads the database alone can make no code of what it holds."""

    def encrypt(self, text: str) -> str:
        """A secret as it is stored, under today's SECRET_KEY."""
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """The secret again. Raises InvalidToken when its SECRET_KEY is not among the known."""
        # Never an empty one in its place: anybody could work out the codes of that.
        return _cipher().decrypt(encrypted_text.encode()).decode()


def _cipher() -> MultiFernet:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return MultiFernet([Fernet(_derived(each)) for each in keys])


def _derived(key: str) -> bytes:
    # Not SECRET_KEY itself: what signs sessions and links shall not also encrypt.
    made = HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(key.encode())
    return base64.urlsafe_b64encode(made)


@receiver(authenticator_added)
def _shown(request: HttpRequest, user: User, authenticator: Authenticator, **_: object) -> None:
    # Who sets up an app typed its code this moment, and is not asked for it to see what follows.
    if authenticator.type == Authenticator.Type.TOTP:
        record_authentication(request, user, "mfa", type="totp", reauthenticated=True)
