import json
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.management import call_command

from licensing.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def data(tmp_path: Path, settings: Any) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def stored(data: Path) -> dict[str, dict[str, str]]:
    read: dict[str, dict[str, str]] = json.loads((data / "demo-accounts.json").read_text())
    return read


def test_one_of_staff_and_one_buyer_whose_address_is_verified(data: Path) -> None:
    call_command("demo_accounts")
    staff, buyer = (
        User.objects.get(email=stored(data)[role]["email"]) for role in ("staff", "buyer")
    )
    assert (staff.is_staff, staff.is_superuser) == (True, True)
    assert (buyer.is_staff, buyer.is_superuser) == (False, False)
    assert EmailAddress.objects.filter(user=buyer, verified=True, primary=True).count() == 1


def test_the_stored_passwords_open_the_accounts_and_only_their_owner_reads_them(data: Path) -> None:
    call_command("demo_accounts")
    for account in stored(data).values():
        assert User.objects.get(email=account["email"]).check_password(account["password"])
    assert (data / "demo-accounts.json").stat().st_mode & 0o777 == 0o600


def test_a_second_run_changes_nothing(data: Path) -> None:
    call_command("demo_accounts")
    before = stored(data), list(User.objects.order_by("id").values())
    call_command("demo_accounts")
    assert (stored(data), list(User.objects.order_by("id").values())) == before


def test_a_lost_file_gets_new_passwords_that_work(data: Path) -> None:
    call_command("demo_accounts")
    lost = stored(data)["buyer"]["password"]
    (data / "demo-accounts.json").unlink()
    call_command("demo_accounts")
    buyer = User.objects.get(email=stored(data)["buyer"]["email"])
    assert buyer.check_password(stored(data)["buyer"]["password"])
    assert not buyer.check_password(lost)


def test_two_folders_have_different_passwords(data: Path, settings: Any) -> None:
    call_command("demo_accounts")
    settings.DATA_DIR = data / "other"
    call_command("demo_accounts")
    assert stored(data)["staff"] != stored(data / "other")["staff"]
