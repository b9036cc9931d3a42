from pathlib import Path

from demo.environment import FILE, Plan, make_plan, read_file


def a_plan(data: Path, *, port: int = 8000, **given: str) -> Plan:
    return make_plan(data=data, port=port, sandbox_port=port + 1, given=given)


def test_only_the_owner_reads_the_file(tmp_path: Path) -> None:
    a_plan(tmp_path)
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == [FILE]


def test_a_second_run_keeps_the_keys_and_takes_the_new_port(tmp_path: Path) -> None:
    first, second = a_plan(tmp_path), a_plan(tmp_path, port=9000)
    for name in ("STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"):
        assert second.variables[name] == first.variables[name]
    assert read_file(tmp_path / FILE)["SITE_URL"] == "http://127.0.0.1:9000"
    assert second.variables["STRIPE_API_BASE"] == "http://127.0.0.1:9001"


def test_two_folders_have_different_keys(tmp_path: Path) -> None:
    one, other = a_plan(tmp_path / "one"), a_plan(tmp_path / "other")
    assert one.variables["STRIPE_SECRET_KEY"] != other.variables["STRIPE_SECRET_KEY"]


def test_stripes_own_keys_replace_the_sandbox_and_never_meet_its_address(tmp_path: Path) -> None:
    a_plan(tmp_path)
    plan = a_plan(tmp_path, STRIPE_SECRET_KEY="sk_test_mine", STRIPE_WEBHOOK_SECRET="whsec_mine")
    assert not plan.sandbox
    assert plan.variables["STRIPE_SECRET_KEY"] == "sk_test_mine"
    assert "STRIPE_API_BASE" not in plan.variables
    assert "STRIPE" not in (tmp_path / FILE).read_text()


def test_a_database_and_a_broker_of_ones_own_replace_the_embedded_parts(tmp_path: Path) -> None:
    plan = a_plan(tmp_path, DATABASE_URL="postgres://u@h/n", REDIS_URL="redis://h")
    assert (plan.embedded_database, plan.celery) == (False, True)
    assert plan.variables["SECRET_KEY"] == (tmp_path / "secret-key").read_text()


def test_an_empty_variable_counts_as_unset(tmp_path: Path) -> None:
    plan = a_plan(tmp_path, DATABASE_URL="", REDIS_URL="", STRIPE_SECRET_KEY="")
    assert (plan.embedded_database, plan.celery, plan.sandbox) == (True, False, True)
    assert "DATABASE_URL" not in plan.variables
    assert plan.variables["STRIPE_SECRET_KEY"].startswith("sk_test_")


def test_children_never_inherit_the_owner_role(tmp_path: Path) -> None:
    plan = a_plan(tmp_path, TOUCHSTONE_DATABASE_ROLE="owner")
    assert "TOUCHSTONE_DATABASE_ROLE" not in plan.variables


def test_an_address_of_ones_own_wins(tmp_path: Path) -> None:
    plan = a_plan(tmp_path, SITE_URL="https://store.example")
    assert plan.site_url == "https://store.example"
    assert plan.sandbox_variables["SANDBOX_WEBHOOK_URL"] == "http://127.0.0.1:8000/webhooks/stripe/"
