"""The desk's form for imports: who may, what comes back, and that nothing is stored."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from catalog.definition import parse_definition
from catalog.models import PackageVersion
from licensing.models import User
from receipts.models import RawFile
from tests.catalog.importing import imported, package_text, result
from tests.catalog.reading import policy, shown
from tests.people import make_user, signed_in

PAGE = "/staff/import/"
ANSWERS = {"gpus": "8", "seed": "7", "tool_version": "0.21.0"}


@pytest.fixture
def publisher(db: None) -> User:
    """Staff with the right to add versions, and no other."""
    user = make_user("pia@store.example", staff=True)
    user.user_permissions.add(Permission.objects.get(codename="add_packageversion"))
    return user


@pytest.fixture
def desk(publisher: User) -> Client:
    """A browser in which the publisher is signed in."""
    return signed_in(publisher)


def posted(client: Client, *names: str, text: str = "", **changed: Any) -> Any:
    files = [SimpleUploadedFile(f"{name}.json", result(name).raw) for name in names]
    package = SimpleUploadedFile("package.yaml", (text or package_text()).encode())
    form = {"package": package, "results": files, "profile": "interactive", **ANSWERS}
    return client.post(PAGE, form | changed)


def errors(response: Any) -> dict[str, list[str]]:
    """What is wrong, by field."""
    assert response.status_code == 400
    found: dict[str, list[str]] = response.context["form"].errors
    return found


def test_staff_without_the_right_and_everybody_else_are_kept_out(
    owner: User, outsider: User
) -> None:
    clerk = make_user("cleo@store.example", staff=True)
    assert signed_in(clerk).get(PAGE).status_code == 403
    assert posted(signed_in(clerk), "vllm-full").status_code == 403
    for client in (Client(), signed_in(owner), signed_in(outsider)):
        for response in (client.get(PAGE), posted(client, "vllm-full")):
            assert response.status_code == 302
            assert "login" in response["Location"]


def test_a_form_from_elsewhere_is_refused(publisher: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(publisher)
    assert posted(client, "vllm-full").status_code == 403


def test_a_superuser_may_and_finds_the_way_from_the_first_page(db: None) -> None:
    user = make_user("sam@store.example", staff=True)
    user.is_superuser = True
    user.save()
    assert f'href="{PAGE}"' in signed_in(user).get("/staff/").text
    assert signed_in(user).get(PAGE).status_code == 200


def test_the_first_page_shows_no_way_to_those_who_may_not(db: None) -> None:
    clerk = make_user("cleo@store.example", staff=True)
    assert PAGE not in signed_in(clerk).get("/staff/").text


def test_the_form_asks_for_all_that_the_command_takes(desk: Client) -> None:
    page = desk.get(PAGE)
    for name in (
        *("package", "results", "profile", "replace", "tool_version", "model", "concurrency"),
        *("requests", "completed", "gpus", "seed", "revision"),
    ):
        assert f'name="{name}"' in page.text
    assert policy(page)["script-src"] == "'self'"
    assert "<style" not in page.text
    assert not re.search(r"<script(?![^>]* src=)|\son\w+=|\sstyle=", page.text)


def test_the_answer_has_table_remarks_and_the_same_definition_as_the_command(
    desk: Client,
) -> None:
    response = posted(desk, "vllm-full")
    assert response.status_code == 200
    text = shown(response)
    cells = ["4", "40 of 40", "101.01", "808.11", "20.155", "4.353", "154.981", "vllm-full.json"]
    assert re.findall("<td>(.*?)</td>", response.text) == cells
    assert "max_concurrent_requests is 28, above max_concurrency 4" in text
    found = re.search(r'href="data:application/yaml;base64,([^"]+)"', response.text)
    assert found
    package = base64.b64decode(found[1])
    expected = imported(result("vllm-full"), gpus=8, seed="7", tool_version="0.21.0")
    assert package == expected.package
    assert parse_definition(package).measured_points[1].concurrency == 4


def test_nothing_is_stored(desk: Client) -> None:
    posted(desk, "vllm-full")
    assert not PackageVersion.objects.exists()
    assert not RawFile.objects.exists()


def test_what_no_file_says_is_asked_for_at_its_field(desk: Client) -> None:
    found = errors(posted(desk, "vllm-defaults", gpus="", seed="", tool_version=""))
    assert set(found) == {"tool_version", "gpus", "seed", "revision"}
    assert found["gpus"] == ["vllm-defaults.json cannot say how many GPUs served: add --gpus"]


def test_a_result_without_a_success_is_refused_above_the_form(desk: Client) -> None:
    found = errors(posted(desk, "guidellm-all-failed", seed="", tool_version=""))
    assert "none of 40 requests succeeded" in found["__all__"][0]


def test_a_definition_that_is_wrong_is_refused_with_its_field(desk: Client) -> None:
    found = errors(posted(desk, "vllm-full", text=package_text().replace("tier: e", "tier: E")))
    assert found["__all__"] == ["tier: should be 'enterprise'"]
    assert "package" in errors(posted(desk, "vllm-full", text="a: [", **ANSWERS))


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"profile": "fast"}, "profile"),
        ({"gpus": "0"}, "gpus"),
        ({"gpus": "4"}, "gpus"),
        ({"gpus": "many"}, "gpus"),
        ({"results": []}, "results"),
        ({"package": ""}, "package"),
    ],
)
def test_a_field_that_is_wrong_is_named(desk: Client, changed: dict[str, Any], field: str) -> None:
    assert list(errors(posted(desk, "vllm-full", **changed))) == [field]


def test_files_that_are_too_large_or_too_many_are_refused(desk: Client) -> None:
    large = SimpleUploadedFile("x.json", b" " * ((16 << 20) + 1))
    assert "larger than" in errors(posted(desk, results=[large]))["results"][0]
    many = [SimpleUploadedFile(f"{at}.json", b"{}") for at in range(51)]
    assert "At most 50" in errors(posted(desk, results=many))["results"][0]


def test_names_and_texts_of_files_are_shown_and_not_run(desk: Client) -> None:
    evil = SimpleUploadedFile("<img src=x>.json", b'{"<b>": NaN}')
    response = posted(desk, results=[evil])
    assert response.status_code == 400
    assert "<img" not in response.text
    assert "<b>" not in response.text


def test_several_files_are_read_as_one_curve(desk: Client) -> None:
    found = posted(desk, "vllm-full", "vllm-defaults", revision="abc")
    assert "two results are of interactive at concurrency 4" in str(errors(found))
