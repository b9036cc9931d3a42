"""The one ancestor of every refusal this package makes."""


class TouchstoneError(Exception):
    """Some input is not what it must be; the message names what and why."""
