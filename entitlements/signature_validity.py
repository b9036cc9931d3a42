"""How long an unused signature may be bought with: carried into Postgres, asked of it alone.

`manage.py migrate` writes SIGNATURE_VALID_DAYS into a function of Postgres. The trigger that
refuses a late purchase and every list here read that function, so they cannot disagree; a
changed setting holds from the next migrate. The rows of signatures never change.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import connections
from django.db.models import BooleanField, DateTimeField, DurationField, ExpressionWrapper, F, Func
from django.db.models.functions import Now
from django.db.models.lookups import LessThanOrEqual

if TYPE_CHECKING:
    from django.apps import AppConfig
    from django.db.models import QuerySet

    from licensing.models import LicenceSignature

FUNCTION = "entitlements_signature_validity"
REPLACE = """
CREATE OR REPLACE FUNCTION entitlements_signature_validity() RETURNS interval
LANGUAGE sql STABLE AS $$ SELECT interval '{days:d} days' $$
"""


def carry_validity(sender: AppConfig, using: str, **_: Any) -> None:
    """Bring the setting into Postgres after each migrate. Only the owner's role may."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_proc WHERE proname = %s", [FUNCTION])
        if cursor.fetchone() is None:
            return
        cursor.execute(f"SELECT {FUNCTION}()")
        if cursor.fetchone() != (timedelta(days=settings.SIGNATURE_VALID_DAYS),):
            cursor.execute(REPLACE.format(days=settings.SIGNATURE_VALID_DAYS))


class _Validity(Func):
    function = FUNCTION
    output_field = DurationField()


END = ExpressionWrapper(F("signed_at") + _Validity(), output_field=DateTimeField())
EXPIRED = LessThanOrEqual(END, Now())


def with_expiry(signatures: QuerySet[LicenceSignature]) -> QuerySet[LicenceSignature]:
    """Annotate each signature with `expires_at` and `expired`: whether it came too late to buy."""
    return signatures.annotate(
        expires_at=END, expired=ExpressionWrapper(EXPIRED, output_field=BooleanField())
    )
