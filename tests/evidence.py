"""A shop in which every evidence table has a row, and the tables by name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import connection

from entitlements.agreeing import bind_newer_terms
from entitlements.links import issue_link
from entitlements.models import DeskAction, Download, ProForma, Purchase
from licensing.models import User
from receipts.append_only import AppendOnly
from receipts.models import RawFile, SignedKeys
from receipts.root import sign_current_keys
from tests.conftest import connect_as_application, connect_as_owner
from tests.shop import sign

MODELS = sorted(AppendOnly.__subclasses__(), key=lambda model: model._meta.db_table)
TABLES = [model._meta.db_table for model in MODELS]


def key_of(table: str) -> str:
    """The column of a table's primary key."""
    return str(MODELS[TABLES.index(table)]._meta.pk.column)


def sign_with_a_root() -> SignedKeys:
    """Have the keys of today signed by a root of the tests' own."""
    root = Ed25519PrivateKey.from_private_bytes(b"r" * 32)
    pem = root.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return sign_current_keys(pem=pem)[0]


@pytest.fixture
def evidence(bought: Purchase, owner: User) -> Purchase:
    """The paid purchase, with at least one row in each evidence table that one licence fills."""
    sign_with_a_root()
    raw = b'{"what": "a tool wrote"}'
    RawFile.objects.create(sha256=hashlib.sha256(raw).hexdigest(), content=raw)
    issue_link(entitlement=bought.entitlement, version=bought.version, member=owner)
    Download.objects.bulk_create([started(Download.objects.get())])
    return bought


@pytest.fixture
def whole_evidence(evidence: Purchase, owner: User) -> Purchase:
    """The same with a second signature bound to it: every evidence table has a row."""
    again = sign(
        account=owner,
        version=evidence.version,
        entity=evidence.entity,
        terms=evidence.signature.terms,
    )
    bind_newer_terms(entitlement=evidence.entitlement, signature=again)
    for_the_desk(evidence, owner)
    return evidence


def for_the_desk(purchase: Purchase, actor: User) -> None:
    """A pro-forma invoice of a purchase, and a row of the desk's log."""
    ProForma.objects.create(
        purchase=purchase,
        amount_minor=purchase.price_minor + 12 * purchase.maintenance_minor,
        currency=purchase.currency,
        billed_to={"legal_name": purchase.entity.legal_name},
    )
    DeskAction.objects.create(
        actor=actor,
        actor_email=actor.email,
        action="replay",
        subject=f"purchase {purchase.pk}",
        why="its event was lost",
    )


@pytest.fixture
def owner_connection(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The test's connection is the owner's, who can take walls down."""
    with django_db_blocker.unblock():
        connect_as_owner()
    yield
    with django_db_blocker.unblock():
        connect_as_application()


@pytest.fixture
def as_owner(owner_connection: None, db: None) -> None:
    """The same in a transaction that is rolled back."""


def tamper(table: str, sql: str) -> None:
    """Take the walls of a table down, for this transaction, and change it."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(
            "SELECT conrelid::regclass::text, conname FROM pg_constraint"
            " WHERE contype IN ('c', 'f') AND %s::regclass IN (conrelid, confrelid)",
            [table],
        )
        for of, name in cursor.fetchall():
            cursor.execute(f'ALTER TABLE {of} DROP CONSTRAINT IF EXISTS "{name}"')
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(sql)
        assert cursor.rowcount > 0


def started(issued: Download) -> Download:
    """The row that says that a link was used."""
    return Download(
        link=issued.link,
        event=Download.Event.STARTED,
        entitlement=issued.entitlement,
        version=issued.version,
        member_id=issued.member_id,
        kit_sha256=issued.kit_sha256,
    )
