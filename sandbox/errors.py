"""Errors as Stripe answers them: an HTTP status and an `error` object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

DOCS = "docs/sandbox.md"


@dataclass
class ApiError(Exception):
    """One refusal. `type`, `code` and `param` have the meaning of Stripe's error object."""

    message: str
    status: int = 400
    type: str = "invalid_request_error"
    code: str | None = None
    param: str | None = None
    decline_code: str | None = None

    def body(self) -> dict[str, Any]:
        """Return the JSON that Stripe sends; absent fields are left out, as Stripe does."""
        fields = {
            "type": self.type,
            "code": self.code,
            "message": self.message,
            "param": self.param,
            "decline_code": self.decline_code,
        }
        return {"error": {name: value for name, value in fields.items() if value is not None}}


class PageRefusal(Exception):
    """A hosted page does not go on; the message is for the person who looks at it."""


class CardDeclined(ApiError):
    """A card that did not pay: the refusal is answered, and the attempt it tells of is kept."""

    def __init__(self) -> None:
        super().__init__(
            "Your card was declined.",
            status=402,
            type="card_error",
            code="card_declined",
            decline_code="generic_decline",
        )


def answer_of(act: Callable[[], dict[str, Any]]) -> tuple[int, dict[str, Any]]:
    """Return the status and body of an action whose effects stay, be it done or declined."""
    try:
        return 200, act()
    except CardDeclined as declined:
        return declined.status, declined.body()


def missing(param: str) -> ApiError:
    """A required parameter was not sent."""
    return ApiError(f"Missing required param: {param}.", code="parameter_missing", param=param)


def unknown(param: str) -> ApiError:
    """A parameter that the published contract does not have."""
    return ApiError(f"Received unknown parameter: {param}", code="parameter_unknown", param=param)


def exclusive(*params: str) -> ApiError:
    """Parameters that cannot be combined."""
    names = ", ".join(params)
    return ApiError(
        f"You may only specify one of these parameters: {names}.",
        code="parameters_exclusive",
        param=params[0],
    )


def no_such(kind: str, identifier: str, param: str, *, status: int = 404) -> ApiError:
    """An id that names nothing; Stripe answers 400 when the id came as a parameter."""
    noun = kind.rpartition(".")[2].replace("_", " ")
    return ApiError(
        f"No such {noun}: '{identifier}'", status=status, code="resource_missing", param=param
    )


def not_simulated(param: str, reason: str = "") -> ApiError:
    """A parameter of the real contract that this sandbox does not act on; see docs/sandbox.md."""
    detail = f" ({reason})" if reason else ""
    return ApiError(
        f"The sandbox does not simulate {param}{detail}. See {DOCS}.",
        code="sandbox_not_simulated",
        param=param,
    )
