"""A whole store whose Postgres and whose Redis go away in the middle of a sale, and come back."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from config import embedded
from demo.environment import CHECKOUT, Plan, make_plan
from demo.instance import running
from demo.ports import HOST, free_ports
from demo.processes import Family
from tests.sandbox.conftest import ADDRESS, PAYING, ask, until

REDIS = shutil.which("redis-server")
PATIENCE = 120.0
BOUGHT = """
SELECT state = 'paid' AND EXISTS (SELECT 1 FROM entitlements_entitlement WHERE purchase_id = p.id)
    AND NOT EXISTS (SELECT 1 FROM entitlements_outbox WHERE done_at IS NULL)
FROM entitlements_purchase p WHERE id = %s
"""


@dataclass
class Store:
    """The plan of a store that runs, its processes, and its Redis if this machine has one."""

    plan: Plan
    family: Family
    redis: subprocess.Popen[bytes] | None

    def go_to_pay(self) -> tuple[str, str]:
        """A new purchase, and where it is paid."""
        code = "from tests.faults.buying import go_to_pay; go_to_pay()"
        number, url = self.manage("shell", "--verbosity=0", "-c", code).split()[-2:]
        return number, url

    def manage(self, *arguments: str) -> str:
        """Run a command of the store's as an operator would; returns what it wrote."""
        command = [sys.executable, "manage.py", *arguments]
        env = {**self.plan.variables, "PYTHONPATH": "verifier", "LOG_LEVEL": "WARNING"}
        return subprocess.check_output(command, cwd=CHECKOUT, env=env, text=True)

    def pay(self, url: str) -> None:
        """Submit the hosted page; the sandbox sends its events by itself."""
        fields = "&".join(f"{name}={value}" for name, value in {"card": PAYING, **ADDRESS}.items())
        assert ask("POST", url, fields.replace(" ", "+"))[0] == 303

    def has_bought(self, number: str) -> bool:
        """Whether a purchase is paid and granted, and all work that followed is done."""
        with psycopg.connect(
            host=str(embedded.socket_folder(self.plan.data / "postgres")),
            user=embedded.APP,
            dbname=embedded.DATABASE,
        ) as connection:
            return connection.execute(BOUGHT, [number]).fetchone() == (True,)

    def attempts(self) -> list[str]:
        """What the store answered to the provider's events."""
        headers = {"Authorization": f"Bearer {self.plan.variables['STRIPE_SECRET_KEY']}"}
        return [ask("GET", f"{self.plan.sandbox_url}/sandbox/deliveries", "", headers)[2]]

    def log(self, name: str) -> str:
        """What a process has written."""
        return (self.plan.data / "log" / f"{name}.log").read_text()


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    # Not tmp_path: the embedded Postgres opens the permissions of every folder above its data.
    folder = Path(tempfile.mkdtemp(prefix="tsf-"))
    folder.chmod(0o755)
    web, sandbox, broker = free_ports(3)
    unset = ("DATABASE", "REDIS", "STRIPE", "SITE_URL", "TOUCHSTONE", "DJANGO", "PYTEST")
    given = {name: value for name, value in os.environ.items() if not name.startswith(unset)}
    redis = None
    if REDIS:
        given["REDIS_URL"] = f"redis://{HOST}:{broker}/0"
        redis = subprocess.Popen([REDIS, "--port", str(broker), "--save", "", "--dir", str(folder)],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
    plan = make_plan(data=folder, port=web, sandbox_port=sandbox, given=given)
    try:
        with running(plan) as family:
            # Beside Celery's, if there is one: what finds the work without a broker.
            command = [sys.executable, "manage.py", "work", "--every=0.3"]
            family.start("poller", command, plan.variables)
            yield Store(plan, family, redis)
    finally:
        if redis is not None:
            redis.kill()
            redis.wait()
        shutil.rmtree(folder, ignore_errors=True)


def test_postgres_restarts_in_the_middle_of_a_sale(store: Store) -> None:
    number, url = store.go_to_pay()
    store.manage("db", "stop")
    try:
        status, headers, page = ask("GET", f"{store.plan.local_url}/")
        assert (status, headers["retry-after"]) == (503, "10")
        assert "The store is away for a moment" in page
        assert "Traceback" not in page
        store.pay(url)
        until(lambda: "503" in "".join(store.attempts()), PATIENCE)
        until(lambda: "the database does not answer" in store.log("poller"), PATIENCE)
    finally:
        store.manage("db", "start")
    until(lambda: store.has_bought(number), PATIENCE)
    assert ask("GET", f"{store.plan.local_url}/")[0] == 200
    assert "Traceback" not in store.log("poller")
    store.family.check()


@pytest.mark.skipif(REDIS is None, reason="redis-server is not installed")
def test_without_redis_a_sale_completes_and_the_polling_worker_does_what_follows(
    store: Store,
) -> None:
    assert store.redis is not None
    number, url = store.go_to_pay()
    store.redis.kill()
    store.redis.wait()
    done = store.log("poller").count(" done")
    store.pay(url)
    until(lambda: store.has_bought(number), PATIENCE)
    assert store.log("poller").count(" done") > done
    assert ask("GET", f"{store.plan.local_url}/")[0] == 200
    store.family.check()
