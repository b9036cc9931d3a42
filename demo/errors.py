"""What ends a demo early."""

from __future__ import annotations


class DemoError(Exception):
    """Something is missing or went wrong; the message says what, and the way out."""


class Stop(BaseException):
    """SIGINT, SIGTERM or SIGHUP arrived. Like KeyboardInterrupt, no `except Exception` eats it."""
