"""Requests against the SDK's typed params, without a server."""

from __future__ import annotations

import pytest
from stripe import params
from stripe.params.checkout import SessionCreateParams

from sandbox.contract import check
from sandbox.errors import ApiError
from sandbox.form import decode
from sandbox.routes import ROUTES, Route


def refusal(body: str, params_class: type = SessionCreateParams) -> ApiError:
    with pytest.raises(ApiError) as caught:
        check(params_class, decode(body))
    return caught.value


def test_values_take_their_declared_types() -> None:
    body = "expires_at=17&allow_promotion_codes=true&line_items[0][quantity]=2&metadata[a]=7"
    assert check(SessionCreateParams, decode(body)) == {
        "expires_at": 17,
        "allow_promotion_codes": True,
        "line_items": [{"quantity": 2}],
        "metadata": {"a": "7"},
    }


@pytest.mark.parametrize(
    ("body", "param"),
    [("colour=red", "colour"), ("line_items[0][colour]=red", "line_items[0][colour]")],
)
def test_an_unknown_parameter_is_named(body: str, param: str) -> None:
    error = refusal(body)
    assert (error.code, error.param) == ("parameter_unknown", param)
    assert error.message == f"Received unknown parameter: {param}"


def test_options_of_the_sdk_are_not_parameters() -> None:
    assert refusal("idempotency_key=x").code == "parameter_unknown"


def test_a_missing_key_is_named_where_it_is_missing() -> None:
    error = refusal("line_items[0][price_data][unit_amount]=5")
    assert (error.code, error.param) == ("parameter_missing", "line_items[0][price_data][currency]")
    assert refusal("currency=usd&active=true", params.ProductCreateParams).param == "currency"
    assert refusal("active=true", params.ProductCreateParams).param == "name"


@pytest.mark.parametrize("number", ["1.5", "abc", "1e3", "0x10", "٣", "9" * 30])
def test_a_number_that_is_no_integer_is_refused(number: str) -> None:
    assert refusal(f"expires_at={number}").code == "parameter_invalid_integer"


def test_a_word_outside_the_enumeration_is_refused_with_the_words() -> None:
    error = refusal("mode=gift")
    assert error.param == "mode"
    assert error.message == "Invalid mode: must be one of payment, setup, or subscription"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("line_items=3", "Invalid array: line_items"),
        ("line_items[0]=3", "Invalid object: line_items[0]"),
        ("success_url[a]=3", "Invalid string: success_url"),
        ("metadata=3", "Invalid object: metadata"),
        ("allow_promotion_codes=yes", "Invalid boolean: yes"),
    ],
)
def test_a_wrong_shape_is_refused(body: str, message: str) -> None:
    assert refusal(body).message == message


def test_an_empty_value_unsets_only_what_can_be_unset() -> None:
    assert check(params.CustomerUpdateParams, decode("metadata=")) == {"metadata": None}
    assert refusal("success_url=").code == "parameter_invalid_empty"


@pytest.mark.parametrize(
    "body",
    [
        f"metadata[{'k' * 41}]=v",
        f"metadata[k]={'v' * 501}",
        "&".join(f"metadata[k{n}]=v" for n in range(51)),
    ],
)
def test_metadata_keeps_within_stripes_limits(body: str) -> None:
    assert (refusal(body).param or "").startswith("metadata")
    assert "Metadata" in refusal(body).message


def test_bounds_of_a_list_are_an_object_or_a_number() -> None:
    assert check(params.EventListParams, decode("created=5")) == {"created": 5}
    assert check(params.EventListParams, decode("created[gte]=5")) == {"created": {"gte": 5}}


@pytest.mark.parametrize("route", ROUTES, ids=[f"{r.method} {r.path}" for r in ROUTES])
def test_every_address_refuses_a_parameter_that_it_does_not_have(route: Route) -> None:
    declared = dict.fromkeys(getattr(route.params, "__required_keys__", ()), "x")
    with pytest.raises(ApiError) as caught:
        check(route.params, {"colour": "red", **declared})
    assert (caught.value.code, caught.value.param) == ("parameter_unknown", "colour")


@pytest.mark.parametrize("route", ROUTES, ids=[f"{r.method} {r.path}" for r in ROUTES])
def test_every_address_is_held_to_a_class_of_the_sdk_and_matches_whole(route: Route) -> None:
    assert route.params.__module__.startswith("stripe.params.")
    assert route.match(route.path.format(id="x_1", part="y_2")) is not None
    assert route.match(f"{route.path}/more".format(id="x_1", part="y_2")) is None
