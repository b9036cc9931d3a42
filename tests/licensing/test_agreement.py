"""The executed agreement: the text as signed, its certificate, and its way to the signer."""

from __future__ import annotations

import io

import pypdf
import pytest
from django.core import mail
from django.test import Client

from entitlements.outbox import run_due
from licensing.agreements import agreement_pdf
from licensing.models import LicenceSignature, User
from licensing.signals import licence_signed
from tests.people import signed_in


def _text(raw: bytes) -> tuple[list[str], str]:
    pages = [
        " ".join(page.extract_text().split()) for page in pypdf.PdfReader(io.BytesIO(raw)).pages
    ]
    return pages, " ".join(pages)


def test_the_paper_holds_every_word_of_the_text(signature: LicenceSignature) -> None:
    _, text = _text(agreement_pdf(signature))
    said = text.replace("- ", "-").replace("\N{LEFT DOUBLE QUOTATION MARK}", '"')
    said = said.replace("\N{RIGHT DOUBLE QUOTATION MARK}", '"').replace(
        "\N{RIGHT SINGLE QUOTATION MARK}", "'"
    )
    words = bytes(signature.terms_body).decode().replace("#", "").split()
    squeezed = "".join(said.split()).replace("-", "")
    missing = [word for word in words if word.replace("-", "") not in squeezed]
    assert missing == []


def test_the_certificate_stands_on_a_page_of_its_own(signature: LicenceSignature) -> None:
    pages, _ = _text(agreement_pdf(signature))
    certificate = pages[-1]
    assert certificate.startswith("Certificate of signature")
    for wanted in (
        "Meridian Labs GmbH",
        "HRB 12345",
        "Germany",
        "Ada Okafor",
        "Chief Technology Officer",
        "ada@meridian.example",
        signature.terms_sha256,
        signature.digest,
        signature.countersigned.receipt.payload_sha256,
        signature.signed_at.strftime("%Y-%m-%d %H:%M:%S UTC"),
        "203.0.113.9",
    ):
        assert wanted in certificate
    for key in ("Authority", "Redistribution", "Resale", "Traceability", "Responsibility"):
        assert f"{key}." in certificate


def test_the_same_signature_gives_the_same_bytes(signature: LicenceSignature) -> None:
    assert agreement_pdf(signature) == agreement_pdf(LicenceSignature.objects.get(pk=signature.pk))


def test_the_signer_gets_it_by_mail_with_the_receipt(signature: LicenceSignature) -> None:
    licence_signed.send(LicenceSignature, signature=signature)
    assert run_due() == 1
    (letter,) = [each for each in mail.outbox if "signed licence" in each.subject]
    assert letter.to == ["ada@meridian.example"]
    attached = {name: content for name, content, _ in letter.attachments}
    assert set(attached) == {
        f"licence-enterprise-1.0-{signature.digest[:12]}.pdf",
        "licence-receipt.json",
    }
    assert attached["licence-receipt.json"] == bytes(signature.countersigned.receipt.envelope)
    assert f"/account/signatures/{signature.pk}/" in letter.body


@pytest.mark.parametrize("name", ["agreement.pdf", "licence-receipt.json"])
def test_members_alone_fetch_it(
    signature: LicenceSignature, owner: User, team_mate: User, outsider: User, name: str
) -> None:
    path = f"/account/signatures/{signature.pk}/{name}"
    for member in (owner, team_mate):
        response = signed_in(member).get(path)
        assert response.status_code == 200
        assert "attachment" in response["Content-Disposition"]
    assert signed_in(outsider).get(path).status_code == 404
    assert Client().get(path).status_code == 302


def test_names_that_look_like_markup_stay_text(
    signature: LicenceSignature, monkeypatch: pytest.MonkeyPatch
) -> None:
    strange = '#read("/etc/passwd") *bold* $x$ \\ "quoted" [x]'
    signature.entity_legal_name = strange
    pages, _ = _text(agreement_pdf(signature))
    assert '#read("/etc/passwd") *bold* $x$' in pages[-1].replace(
        "\N{LEFT DOUBLE QUOTATION MARK}", '"'
    ).replace("\N{RIGHT DOUBLE QUOTATION MARK}", '"')
