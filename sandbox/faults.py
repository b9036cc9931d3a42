"""Failures of the API on demand: the n-th call from now fails, before or after it took effect."""

from __future__ import annotations

import threading
import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from sandbox.errors import ApiError

if TYPE_CHECKING:
    from sandbox.web import Request

MODES, TIMES = ("500", "timeout", "drop"), ("before", "after")
_LONGEST_SILENCE = 600.0


class ConnectionDropped(ConnectionAbortedError):
    """The connection ends without an answer; wsgiref sends nothing for this kind of error."""


@dataclass(frozen=True)
class Fault:
    """Calls `next` to `next + times - 1`, of those that match method and path, fail."""

    next: int
    mode: str
    when: str = "before"
    times: int = 1
    method: str = ""
    path: str = ""
    seconds: float = 90.0

    def concerns(self, request: Request) -> bool:
        """Say whether a call is counted."""
        return self.method in ("", request.method) and request.path.startswith(self.path)

    def strike(self) -> Exception:
        """Return the failure to raise: ApiError (500) or, maybe after a silence, a dropped call."""
        if self.mode == "500":
            message = "The sandbox failed as it was asked to."
            return ApiError(message, status=500, type="api_error")
        if self.mode == "timeout":
            time.sleep(self.seconds)
        return ConnectionDropped()


class Faults:
    """The faults that are armed, and the number of calls; in memory, for one run of the sandbox."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._armed: list[Fault] = []
        self._calls = 0

    def arm(self, values: Any) -> dict[str, Any]:
        """Arm one more fault; raises ApiError (400) that names what is wrong."""
        fault = _read(values)
        with self._lock:
            self._armed.append(fault)
        return self.state()

    def clear(self) -> dict[str, Any]:
        """Disarm every fault, and count calls from 0."""
        with self._lock:
            self._armed, self._calls = [], 0
        return self.state()

    def state(self) -> dict[str, Any]:
        """Return the calls since the start or the last clearing, and what is armed."""
        with self._lock:
            return {"calls": self._calls, "armed": [asdict(fault) for fault in self._armed]}

    def met(self, request: Request) -> Fault | None:
        """Count a call, and return the fault that it meets."""
        with self._lock:
            self._calls += 1
            met, left = None, []
            for fault in self._armed:
                if met or not fault.concerns(request):
                    left.append(fault)
                elif fault.next > 1:
                    left.append(replace(fault, next=fault.next - 1))
                else:
                    met = fault
                    left += [replace(fault, times=fault.times - 1)] if fault.times > 1 else []
            self._armed = left
            return met


def _read(values: Any) -> Fault:
    if not isinstance(values, dict) or not values.keys() <= Fault.__annotations__.keys():
        raise ApiError(f"A fault takes {', '.join(Fault.__annotations__)}.")
    fault = Fault(**{"next": 1, "mode": "", **values})
    if fault.mode not in MODES:
        raise ApiError(f"Invalid mode: must be one of {', '.join(MODES)}", param="mode")
    if fault.when not in TIMES:
        raise ApiError(f"Invalid when: must be one of {', '.join(TIMES)}", param="when")
    for name in ("next", "times"):
        number = getattr(fault, name)
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ApiError(f"Invalid {name}: must be a positive integer", param=name)
    for name in ("method", "path"):
        if not isinstance(getattr(fault, name), str):
            raise ApiError(f"Invalid {name}: must be a string", param=name)
    if not isinstance(fault.seconds, int | float) or not 0 <= fault.seconds <= _LONGEST_SILENCE:
        raise ApiError(f"Invalid seconds: from 0 to {_LONGEST_SILENCE:.0f}", param="seconds")
    return fault
