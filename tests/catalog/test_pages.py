"""The public pages: who sees which version, how often they ask Postgres, what a browser may do."""

from __future__ import annotations

import base64
import json
import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from touchstone.statement import BENCHMARK_RECEIPT, Subject

from catalog.models import Package, PackageVersion, Withheld
from catalog.publishing import publish_version
from entitlements.models import Purchase
from licensing.models import LicenceTerms, User
from receipts.models import Receipt
from receipts.signing import sign_receipt
from tests.catalog.reading import policy, shown
from tests.people import signed_in
from tests.shop import revoke

PACKAGE = "/packages/kimi-k3-8xb300/"
VERSION = f"{PACKAGE}1.0.0/"
RECEIPT = "the receipt page"
PAGES = ["/", PACKAGE, VERSION, f"{PACKAGE}card/", RECEIPT]
GUIDE = "/check/"  # of no version
DATA = [
    f"{PACKAGE}card.json",
    f"{VERSION}receipt.json",
    f"{VERSION}receipt.sigstore.json",
    "/api/v1/packages/",
    "/api/v1/packages/kimi-k3-8xb300/",
    "/.well-known/touchstone/keys.json",
    "/.well-known/jwks.json",
]


def receipt() -> Receipt:
    found = PackageVersion.objects.get().benchmark_receipt
    assert found is not None
    return found


def address(name: str) -> str:
    return f"/receipts/{receipt().payload_sha256}/" if name == RECEIPT else name


def withdraw() -> None:
    PackageVersion.objects.update(
        state="withdrawn", withdrawn_at=timezone.now(), withdrawal_reason="The figure is <wrong>."
    )


@pytest.mark.parametrize("name", [*PAGES, GUIDE, *DATA])
def test_everything_public_answers_a_stranger_in_at_most_four_queries(
    published: PackageVersion, client: Client, name: str
) -> None:
    path = address(name)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    assert len(queries) <= 4


@pytest.mark.parametrize("name", [*PAGES, GUIDE])
def test_being_signed_in_costs_no_page_more_than_four_queries(
    published: PackageVersion, owner: User, name: str
) -> None:
    client, path = signed_in(owner), address(name)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    assert len(queries) <= 4


@pytest.mark.parametrize("path", ["/", PACKAGE, "/api/v1/packages/"])
def test_more_packages_and_versions_cost_no_more_queries(
    published: PackageVersion, client: Client, package_folder: Any, path: str
) -> None:
    definition = package_folder / "package.yaml"
    text = definition.read_text()
    for old, new in [("version: 1.0.0", "version: 1.1.0"), ("slug: kimi-k3", "slug: kimi-k4")]:
        definition.write_text(text.replace(old, new, 1))
        publish_version(folder=package_folder)
    with CaptureQueriesContext(connection) as queries:
        assert "1.1.0" in client.get(path).text
    assert len(queries) <= 2


@pytest.mark.parametrize("name", [*PAGES, GUIDE, *DATA])
def test_public_addresses_are_read_only(
    published: PackageVersion, client: Client, name: str
) -> None:
    assert client.post(address(name)).status_code in {403, 405}
    assert client.head(address(name)).status_code == 200


def test_an_empty_shop_says_so(db: None, client: Client) -> None:
    assert "Nothing is on sale yet" in shown(client.get("/"))
    assert client.get("/api/v1/packages/").json() == []


@pytest.fixture(params=["draft", "sealed"])
def unpublished(published: PackageVersion, request: pytest.FixtureRequest) -> PackageVersion:
    """The first version of another package, with a receipt of its own, not on sale."""
    assert published.kit is not None
    signed = sign_receipt(
        kind=Receipt.Kind.BENCHMARK,
        subjects=[Subject("other-2.0.0.tar.gz", published.kit.sha256)],
        predicate_type=BENCHMARK_RECEIPT,
        predicate={},
    )
    return PackageVersion.objects.create(
        package=Package.objects.create(slug="other"),
        version="2.0.0",
        state=request.param,
        data=published.data,
        content_sha256="0" * 64,
        kit=published.kit,
        benchmark_receipt=signed,
    )


def test_what_is_not_published_has_no_address(unpublished: PackageVersion, client: Client) -> None:
    assert unpublished.benchmark_receipt is not None
    places = [
        *("/packages/other/", "/packages/other/card/", "/packages/other/card.json"),
        *("/packages/other/2.0.0/", "/packages/other/2.0.0/receipt.json"),
        *("/packages/other/2.0.0/receipt.sigstore.json", "/api/v1/packages/other/"),
        f"/receipts/{unpublished.benchmark_receipt.payload_sha256}/",
    ]
    assert {client.get(place).status_code for place in places} == {404}
    assert "packages/other/" not in client.get("/").text
    assert len(client.get("/api/v1/packages/").json()) == 1


def test_a_withdrawn_version_is_gone_with_the_reason(
    published: PackageVersion, client: Client
) -> None:
    withdraw()
    response = client.get(VERSION)
    assert response.status_code == 410
    assert "was withdrawn and is not on sale: The figure is <wrong>." in shown(response)
    assert "Read and sign the licence" not in response.text
    assert client.get(PACKAGE).status_code == 404
    assert client.get("/api/v1/packages/").json() == []


def test_the_evidence_of_a_withdrawn_version_stays_and_says_so(
    published: PackageVersion, client: Client
) -> None:
    withdraw()
    assert client.get(f"{VERSION}receipt.json").content == bytes(receipt().envelope)
    assert "was withdrawn and is not on sale: The figure is <wrong>." in shown(
        client.get(address(RECEIPT))
    )


def test_a_revoked_key_shows_on_every_page(published: PackageVersion, client: Client) -> None:
    revoke("benchmark")
    for name in PAGES:
        text = shown(client.get(address(name)))
        assert "Key revoked" in text or "key that signed it was revoked" in text
        assert "Signed " not in text


def test_the_newest_version_stands_for_its_package(
    published: PackageVersion, client: Client, package_folder: Any
) -> None:
    path = package_folder / "package.yaml"
    path.write_text(path.read_text().replace("version: 1.0.0", "version: 1.1.0"))
    publish_version(folder=package_folder)
    assert client.get(f"{PACKAGE}card.json").json()["version"] == "1.1.0"
    assert len(client.get("/api/v1/packages/").json()) == 1
    assert f"{VERSION}" in client.get(PACKAGE).text


def test_receipt_json_is_the_stored_bytes(published: PackageVersion, client: Client) -> None:
    response = client.get(f"{VERSION}receipt.json")
    assert response.content == bytes(receipt().envelope)
    assert response["Content-Type"] == "application/json"
    assert response["Access-Control-Allow-Origin"] == "*"
    again = client.get(f"{VERSION}receipt.json", headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_sigstore_bundle_holds_the_same_envelope(
    published: PackageVersion, client: Client
) -> None:
    bundle = client.get(f"{VERSION}receipt.sigstore.json").json()
    assert bundle == {
        "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
        "verificationMaterial": {"publicKey": {"hint": receipt().key_id}, "tlogEntries": []},
        "dsseEnvelope": json.loads(bytes(receipt().envelope)),
    }


def test_the_receipt_page_shows_digests_key_and_date(
    published: PackageVersion, client: Client
) -> None:
    found = receipt()
    text = shown(client.get(address(RECEIPT)))
    digests = [s["digest"]["sha256"] for s in json.loads(found.payload)["subject"]]
    assert len(digests) == 3
    for each in (*digests, found.payload_sha256, found.key_id):
        assert each in text
    assert f"{found.issued_at:%H:%M} UTC" in text


@pytest.mark.parametrize("digest", ["0" * 64, "A" * 64, "0" * 63, "x"])
def test_no_receipt_stands_under_another_digest(
    published: PackageVersion, client: Client, digest: str
) -> None:
    assert client.get(f"/receipts/{digest}/").status_code == 404


def test_a_buyer_receipt_has_no_public_page(bought: Purchase, owner: User) -> None:
    digest = Receipt.objects.get(kind=Receipt.Kind.BUYER).payload_sha256
    for client in (Client(), signed_in(owner)):
        assert client.get(f"/receipts/{digest}/").status_code == 404


def test_what_is_withheld_shows_nowhere_in_public(bought: Purchase, client: Client) -> None:
    places = [address(name) for name in [*PAGES, GUIDE, *DATA]]
    places += ["/packages/kimi-k3-8xb300/licence/", "/api/v1/schema/"]
    bodies = [client.get(place).text for place in places]
    bodies += [each.payload.decode() for each in Receipt.objects.filter(kind="benchmark")]
    secrets = [bytes(each.salt).hex() for each in Withheld.objects.all()]
    for each in Withheld.objects.all():
        secrets += [line for line in bytes(each.content).decode().splitlines() if len(line) > 20]
        secrets.append(base64.b64encode(bytes(each.content))[3:-3].decode())
    secrets += ["withheld/", "Meridian", "203.0.113.9"]
    text = unescape("\n".join(bodies))
    assert [each for each in secrets if each in text] == []


@pytest.mark.parametrize(
    "name", ["/", PACKAGE, VERSION, RECEIPT, GUIDE, *DATA, "/accounts/login/", "/nothing-here/"]
)
def test_no_other_site_may_frame_a_page(
    published: PackageVersion, client: Client, name: str
) -> None:
    response = client.get(address(name))
    assert policy(response)["frame-ancestors"] == "'none'"
    assert response.headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    "name",
    [*PAGES, GUIDE, "/accounts/login/", "/accounts/signup/", "/nowhere/", f"{PACKAGE}licence/"],
)
def test_no_page_needs_inline_script_or_style(
    published: PackageVersion, terms: LicenceTerms, client: Client, name: str
) -> None:
    response = client.get(address(name))
    rules = policy(response)
    assert (rules["default-src"], rules["script-src"], rules["style-src"]) == (
        "'none'",
        "'self'",
        "'self'",
    )
    inline = r"<script(?![^>]*\bsrc=)|<style|<[^>]*\s(style|on\w+)=|javascript:"
    assert re.search(inline, response.text) is None


@pytest.mark.parametrize("name", ["/", PACKAGE, VERSION, RECEIPT])
def test_no_shared_cache_keeps_a_page_that_names_its_reader(
    published: PackageVersion, client: Client, name: str
) -> None:
    response = client.get(address(name))
    assert "private" in response["Cache-Control"]
    assert "Cookie" in response["Vary"]


@pytest.mark.parametrize("story", ["<script>x()</script>", "[a](javascript:x)", "<b onclick=x>"])
def test_a_story_cannot_carry_script(keys: None, package_folder: Any, story: str) -> None:
    (package_folder / "story.md").write_text(f"{story}\n\n{{{{ card }}}}\n")
    publish_version(folder=package_folder)
    page = Client().get(PACKAGE).text
    assert re.search(r"<script|<b |href=.javascript", page) is None
    assert page.count('<article class="card">') == 1
