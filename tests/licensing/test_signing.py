from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection

from catalog.models import PackageVersion
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, User
from licensing.publishing_terms import TermsAreFinal, publish_terms
from licensing.signing import EntityDetails, SigningRefused, TermsChanged
from tests.people import make_user
from tests.shop import ALL_MARKS, TERMS, sign


@pytest.fixture
def newer_terms(terms: LicenceTerms, tmp_path: Path) -> LicenceTerms:
    path = tmp_path / "enterprise-1.1.md"
    path.write_bytes(TERMS.read_bytes().replace(b"Version: 1.0", b"Version: 1.1"))
    return publish_terms(path=path)[0]


def test_a_signature_stores_the_exact_text_and_its_hash(signature: LicenceSignature) -> None:
    assert bytes(signature.terms_body) == TERMS.read_bytes()
    assert signature.resale_text.encode() in TERMS.read_bytes()
    assert signature.entity_legal_name == "Meridian Labs GmbH"


def test_signatures_form_a_chain(
    signature: LicenceSignature,
    owner: User,
    published: PackageVersion,
    entity: LicensedEntity,
    terms: LicenceTerms,
) -> None:
    second = sign(account=owner, version=published, entity=entity, terms=terms)
    assert second.previous_digest == signature.digest
    assert second.position > signature.position
    assert signature.previous_digest == ""


def test_terms_that_changed_after_reading_store_nothing(
    owner: User, published: PackageVersion, entity: LicensedEntity, newer_terms: LicenceTerms
) -> None:
    read = LicenceTerms.objects.get(version="1.0")
    with pytest.raises(TermsChanged, match="read the new ones"):
        sign(account=owner, version=published, entity=entity, terms=read)
    assert not LicenceSignature.objects.exists()


@pytest.mark.parametrize("missing", sorted(ALL_MARKS))
def test_each_mark_is_needed(
    owner: User,
    published: PackageVersion,
    entity: LicensedEntity,
    terms: LicenceTerms,
    missing: str,
) -> None:
    with pytest.raises(SigningRefused, match=missing):
        sign(
            account=owner,
            version=published,
            entity=entity,
            terms=terms,
            affirmed=ALL_MARKS | {missing: False},
        )


def test_a_fifth_affirmation_is_refused(
    owner: User, published: PackageVersion, entity: LicensedEntity, terms: LicenceTerms
) -> None:
    with pytest.raises(SigningRefused, match="audit"):
        sign(
            account=owner,
            version=published,
            entity=entity,
            terms=terms,
            affirmed=ALL_MARKS | {"audit": True},
        )


def test_an_engineer_may_not_bind_the_entity(
    team_mate: User, published: PackageVersion, entity: LicensedEntity, terms: LicenceTerms
) -> None:
    with pytest.raises(SigningRefused, match="may not sign for this entity"):
        sign(account=team_mate, version=published, entity=entity, terms=terms)


def test_an_outsider_may_not_sign_for_the_entity(
    outsider: User, published: PackageVersion, entity: LicensedEntity, terms: LicenceTerms
) -> None:
    with pytest.raises(SigningRefused, match="may not sign"):
        sign(account=outsider, version=published, entity=entity, terms=terms)


def test_an_unconfirmed_address_does_not_sign(
    published: PackageVersion, terms: LicenceTerms
) -> None:
    stranger = make_user("new@nowhere.example", verified=False)
    details = EntityDetails(legal_name="Nowhere Ltd", country="GB", address="Nowhere 1")
    with pytest.raises(SigningRefused, match="Confirm your e-mail"):
        sign(account=stranger, version=published, entity=details, terms=terms)
    assert not LicensedEntity.objects.exists()


def test_a_new_entity_gets_its_signer_as_owner(
    owner: User, published: PackageVersion, terms: LicenceTerms
) -> None:
    details = EntityDetails(legal_name="Fresh SA", country="FR", address="1 rue Neuve")
    made = sign(account=owner, version=published, entity=details, terms=terms)
    assert made.entity.members.get().user == owner


def test_published_terms_never_change(terms: LicenceTerms, tmp_path: Path) -> None:
    path = tmp_path / "same-version.md"
    path.write_bytes(TERMS.read_bytes() + b" ")
    with pytest.raises(TermsAreFinal, match="Give the changed text a new version"):
        publish_terms(path=path)


def test_the_same_terms_again_are_no_news(terms: LicenceTerms) -> None:
    assert publish_terms(path=TERMS) == (terms, False)


def test_a_sentence_that_is_not_in_the_text_is_refused_by_postgres(
    signature: LicenceSignature,
) -> None:
    columns = [f.column for f in LicenceSignature._meta.fields if f.column != "id"]
    values = ", ".join(
        "'A sentence that nobody ever published here.'" if c == "resale_text" else f'"{c}"'
        for c in columns
    )
    names = ", ".join(f'"{c}"' for c in columns)
    statement = (
        f"INSERT INTO licensing_licencesignature (id, {names}) "  # noqa: S608 -- names of columns
        f"SELECT gen_random_uuid(), {values} FROM licensing_licencesignature"
    )
    with pytest.raises(Exception, match="sentences_are_of_the_text"), connection.cursor() as cursor:
        cursor.execute(statement)
