"""The page where the buyer pays."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from tests.sandbox.conftest import DECLINED, ask, kit, pay

if TYPE_CHECKING:
    import stripe
    from stripe.checkout import Session


def test_the_page_lists_the_items_and_says_it_is_a_sandbox(session: Session) -> None:
    status, headers, text = ask("GET", session.url or "")
    assert status == 200
    for part in ("Sandbox", "Kit", "2,300.00 USD", "Due today", "2,500.00 USD", "every month"):
        assert part in text
    assert 'value="4242 4242 4242 4242"' in text
    assert "http://shop.example/buy" in text
    assert "form-action 'self' http://shop.example" in headers["content-security-policy"]


def test_the_stylesheet_is_a_file_of_its_own(session: Session) -> None:
    origin = (session.url or "").partition("/c/")[0]
    status, headers, text = ask("GET", f"{origin}/c/assets/checkout.css")
    assert (status, headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert "prefers-color-scheme: dark" in text


def test_paying_sends_the_browser_back_with_the_session_id(session: Session) -> None:
    status, headers, _ = pay(session.url)
    assert status == 303
    assert headers["location"] == f"http://shop.example/thanks?session_id={session.id}"


def test_a_declined_card_says_so_and_another_card_pays(
    client: stripe.StripeClient, session: Session
) -> None:
    status, _, text = pay(session.url, DECLINED)
    assert status == 402
    assert 'role="alert">Your card was declined.' in text
    assert client.v1.checkout.sessions.retrieve(session.id).status == "open"
    assert client.v1.charges.list().data == []
    assert pay(session.url)[0] == 303


def test_a_card_the_sandbox_does_not_know_is_not_charged(session: Session) -> None:
    status, _, text = pay(session.url, "5555 5555 5555 4444")
    assert status == 402
    assert "knows three cards" in text


def test_clicks_at_the_same_moment_pay_once(client: stripe.StripeClient, session: Session) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: pay(session.url)[0], range(8)))
    assert answers == [303] * 8
    assert len(client.v1.charges.list().data) == 1
    assert len(client.v1.subscriptions.list().data) == 1


def test_without_an_address_the_page_asks_for_one(client: stripe.StripeClient) -> None:
    session = client.v1.checkout.sessions.create(kit(customer_email=None))
    assert pay(session.url)[0] == 402
    assert pay(session.url, email="late@example.com")[0] == 303
    details = client.v1.checkout.sessions.retrieve(session.id).customer_details
    assert details is not None
    assert details.email == "late@example.com"


def test_a_finished_session_says_what_became_of_it(
    client: stripe.StripeClient, session: Session
) -> None:
    url = session.url
    other = client.v1.checkout.sessions.create(kit())
    pay(url)
    client.v1.checkout.sessions.expire(other.id)
    assert "Already paid" in ask("GET", url or "")[2]
    assert "Checkout expired" in ask("GET", other.url or "")[2]
    assert pay(other.url)[0] == 410


def test_text_from_the_shop_is_escaped(client: stripe.StripeClient) -> None:
    price = {
        "currency": "usd",
        "unit_amount": 5,
        "product_data": {"name": "<script>alert(1)</script>"},
        "recurring": {"interval": "month"},
    }
    session = client.v1.checkout.sessions.create(
        kit(line_items=[{"price_data": price, "quantity": 1}])
    )
    text = ask("GET", session.url or "")[2]
    assert "<script>" not in text
    assert "&lt;script&gt;" in text


def test_an_unknown_session_has_no_page(session: Session) -> None:
    assert ask("GET", f"{session.url}x")[0] == 404
