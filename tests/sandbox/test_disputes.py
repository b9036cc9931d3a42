"""Disputes, and the balance that everything moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import stripe

from tests.sandbox.conftest import advance, control, kinds_since, pay, refused

if TYPE_CHECKING:
    from stripe.checkout import Session

    from sandbox.server import Server


class Account:
    """A shop's account with one paid charge of 2,500.00 USD."""

    def __init__(self, client: stripe.StripeClient, server: Server) -> None:
        self.client, self.server = client, server
        self.charge_id = client.v1.charges.list({"limit": 1}).data[0].id

    def dispute(self, **more: Any) -> Any:
        return control(self.server, "POST", "/disputes", {"charge": self.charge_id, **more})

    def decide(self, dispute: Any, status: str) -> Any:
        return control(self.server, "POST", f"/disputes/{dispute['id']}", {"status": status})

    def entries(self, **filters: Any) -> list[tuple[str, int]]:
        params: Any = {"limit": 100, **filters}
        data = self.client.v1.balance_transactions.list(params).data
        return [(entry.reporting_category, entry.net) for entry in reversed(data)]

    def kinds(self, since: int) -> list[str]:
        return [kind for kind in kinds_since(self.client, since) if "dispute" in kind]


@pytest.fixture
def account(client: stripe.StripeClient, server: Server, paid: Session) -> Account:
    return Account(client, server)


def test_a_dispute_takes_the_money_and_marks_the_charge(account: Account) -> None:
    dispute = account.dispute()
    assert (dispute["status"], dispute["amount"]) == ("needs_response", 250_000)
    assert account.client.v1.charges.retrieve(account.charge_id).disputed is True
    assert account.entries() == [("charge", 250_000), ("dispute", -250_000)]
    assert account.kinds(dispute["created"]) == [
        "charge.dispute.created",
        "charge.dispute.funds_withdrawn",
    ]


def test_a_dispute_that_is_won_brings_the_money_back(account: Account) -> None:
    dispute = account.dispute(amount=70_000)
    assert account.decide(dispute, "under_review")["status"] == "under_review"
    won = account.decide(dispute, "won")
    assert [entry["net"] for entry in won["balance_transactions"]] == [-70_000, 70_000]
    assert account.entries()[1:] == [("dispute", -70_000), ("dispute_reversal", 70_000)]
    assert account.kinds(dispute["created"])[2:] == [
        "charge.dispute.updated",
        "charge.dispute.closed",
        "charge.dispute.funds_reinstated",
    ]
    assert account.client.v1.refunds.create({"charge": account.charge_id}).status == "succeeded"


def test_a_dispute_that_is_lost_is_over(account: Account) -> None:
    dispute = account.dispute()
    account.decide(dispute, "lost")
    assert account.entries()[1:] == [("dispute", -250_000)]
    assert account.kinds(dispute["created"])[2:] == ["charge.dispute.closed"]
    path = f"/disputes/{dispute['id']}"
    assert "cannot become won" in refused(account.server, path, {"status": "won"})
    with pytest.raises(stripe.InvalidRequestError) as refusal:
        account.client.v1.refunds.create({"charge": account.charge_id})
    assert refusal.value.code == "charge_disputed"


def test_a_warning_takes_no_money(account: Account) -> None:
    dispute = account.dispute(status="warning_needs_response")
    account.decide(dispute, "warning_closed")
    assert account.entries() == [("charge", 250_000)]
    assert account.kinds(dispute["created"]) == [
        "charge.dispute.created",
        "charge.dispute.closed",
    ]


def test_a_warning_can_become_a_dispute(account: Account) -> None:
    dispute = account.dispute(status="warning_needs_response")
    account.decide(dispute, "needs_response")
    assert account.entries()[1:] == [("dispute", -250_000)]


def test_the_shop_reads_lists_and_gives_up_a_dispute(account: Account) -> None:
    made, disputes = account.dispute(), account.client.v1.disputes
    intent = account.client.v1.charges.retrieve(account.charge_id).payment_intent
    for query in ({"charge": account.charge_id}, {"payment_intent": intent}):
        params: Any = query
        assert [found.id for found in disputes.list(params).data] == [made["id"]]
    assert disputes.list({"charge": "ch_other"}).data == []
    assert disputes.update(made["id"], {"metadata": {"note": "x"}}).metadata["note"] == "x"
    assert disputes.close(made["id"]).status == "lost"
    with pytest.raises(stripe.InvalidRequestError, match="cannot become lost"):
        disputes.close(made["id"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"amount": 0}, "Invalid amount"),
        ({"amount": 250_001}, "Invalid amount"),
        ({"amount": "5"}, "Invalid integer"),
        ({"status": "won"}, "Invalid status"),
        ({"charge": "ch_x"}, "No such charge"),
        ({"colour": "red"}, "takes charge or payment_intent"),
    ],
)
def test_a_dispute_that_cannot_be_is_refused(
    account: Account, changes: dict[str, Any], message: str
) -> None:
    body = {"charge": account.charge_id, **changes}
    assert message in refused(account.server, "/disputes", body)
    assert account.entries() == [("charge", 250_000)]


def test_a_charge_has_one_open_dispute(account: Account) -> None:
    first = account.dispute(amount=5)
    again = {"charge": account.charge_id}
    assert "open dispute" in refused(account.server, "/disputes", again)
    account.decide(first, "won")
    assert account.dispute()["id"] != first["id"]


def test_every_movement_is_an_entry_of_the_balance(account: Account) -> None:
    client, server = account.client, account.server
    client.v1.refunds.create({"charge": account.charge_id, "amount": 1_000})
    control(server, "POST", "/refunds", {"mode": "pending_then_fail"})
    failing = client.v1.refunds.create({"charge": account.charge_id, "amount": 2_000})
    control(server, "POST", "/refunds", {"mode": "fail"})
    client.v1.refunds.create({"charge": account.charge_id, "amount": 4_000})
    advance(server, 32 * 86_400)
    assert account.entries() == [
        ("charge", 250_000),
        ("refund", -1_000),
        ("refund", -2_000),
        ("refund_failure", 2_000),
        ("charge", 20_000),
    ]
    assert account.entries(source=failing.id) == [("refund", -2_000), ("refund_failure", 2_000)]
    assert account.entries(type="charge") == [("charge", 250_000), ("charge", 20_000)]
    expand = ["balance_transaction", "failure_balance_transaction"]
    found: Any = client.v1.refunds.retrieve(failing.id, {"expand": expand})
    assert (found.balance_transaction.net, found.failure_balance_transaction.net) == (-2_000, 2_000)


def test_a_debit_is_an_entry_when_it_pays(
    client: stripe.StripeClient, server: Server, session: Session
) -> None:
    pay(session.url, method="us_bank_account", account="works")
    assert client.v1.balance_transactions.list().data == []
    intent = client.v1.payment_intents.list().data[0]
    control(server, "POST", f"/payments/{intent.id}", {"outcome": "succeeded"})
    (entry,) = client.v1.balance_transactions.list({"type": "payment"}).data
    assert (entry.net, entry.fee, entry.source) == (250_000, 0, client.v1.charges.list().data[0].id)
