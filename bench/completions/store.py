"""A store of its own in a scratch folder, with many purchases that wait for their payment."""

from __future__ import annotations

from io import StringIO
from uuid import UUID

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction

from catalog.models import PackageVersion
from config import embedded
from entitlements.models import Purchase
from entitlements.purchasing import open_purchase
from licensing.models import LicenceSignature, LicenceTerms, User
from licensing.signing import EntityDetails, NetworkEvidence, sign_licence
from licensing.terms_text import AFFIRMATIONS

# Twelve digits, so that a number fits the last part of a UUID as it is written.
FIRST = 100_000_000_000
ADDRESS = "bench@northwind.example"


def numbered(kind: str, number: int) -> str:
    """The UUID of a row by its number: `a` signatures, `b` purchases."""
    return f"{kind}0000000-0000-4000-8000-{FIRST + number}"


def open_store(purchases: int) -> None:
    """Start Postgres, migrate, publish and sign, and open the purchases 0 to `purchases` - 1."""
    data = settings.DATA_DIR / "postgres"
    _connect(host=embedded.start(data), user=embedded.OWNER)
    call_command("migrate", verbosity=0, stdout=StringIO())
    _connect(host=embedded.socket_folder(data), user=embedded.APP)
    call_command("newkey", verbosity=0, stdout=StringIO())
    root = settings.BASE_DIR
    call_command(
        "publish_terms", str(root / "licences/enterprise-1.0.md"), verbosity=0, stdout=StringIO()
    )
    call_command("publish", str(root / "packages/kimi-k3-8xb300"), verbosity=0, stdout=StringIO())
    _copy(_first(), purchases)


def _connect(*, host: str, user: str) -> None:
    connection.close()
    connection.settings_dict |= {"HOST": host, "USER": user}


def _first() -> Purchase:
    version = PackageVersion.on_sale().get()
    terms = LicenceTerms.objects.get()
    buyer = User.objects.create_user(email=ADDRESS, password=None, name="Bea Buyer")
    EmailAddress.objects.create(user=buyer, email=ADDRESS, verified=True, primary=True)
    signature = sign_licence(
        account=buyer,
        package=version.package,
        entity=EntityDetails(legal_name="Northwind AB", country="SE", address="Storgatan 1"),
        read_terms_sha256=terms.sha256,
        family=terms.family,
        signer_name=buyer.name,
        signer_title="CTO",
        affirmed=dict.fromkeys(("authority", *AFFIRMATIONS), True),
        consented=True,
        evidence=NetworkEvidence(remote_address=None, user_agent=""),
    )
    return open_purchase(signature=signature, buyer=buyer)


def _copy(purchase: Purchase, count: int) -> None:
    # As the application's role: every constraint and trigger looks at each copy.
    _repeat(LicenceSignature, count, id="a", of=purchase.signature_id)
    _repeat(Purchase, count, id="b", of=purchase.pk, signature_id="a")


def _repeat(
    model: type[LicenceSignature | Purchase], count: int, *, of: UUID, **kinds: str
) -> None:
    columns = [field.column for field in model._meta.concrete_fields]
    values = [
        f"('{kinds[name]}0000000-0000-4000-8000-' || n)::uuid" if name in kinds else f'"{name}"'
        for name in columns
    ]
    names = ", ".join(f'"{name}"' for name in columns)
    statement = (
        f"INSERT INTO {model._meta.db_table} ({names}) SELECT {', '.join(values)}"  # noqa: S608 -- names of our own columns
        f" FROM {model._meta.db_table}, generate_series(%s::bigint, %s::bigint) n WHERE id = %s"
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, [FIRST, FIRST + count - 1, of])
