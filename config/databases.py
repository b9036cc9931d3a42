"""Which database, and as whom: the application role serves, the owner role migrates."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from config import embedded


def default_database(*, env: Any, data: Path) -> dict[str, Any]:
    """Django's settings of the default database.

    DATABASE_URL is the application role's address and DATABASE_OWNER_URL the owner's. With
    DATABASE_URL alone one login does both: it migrates as itself, and every other connection
    steps down to the application role when it opens.
    """
    as_owner = os.environ.get("TOUCHSTONE_DATABASE_ROLE") == "owner"
    if "DATABASE_URL" not in os.environ:
        settings = _embedded(data / "postgres", as_owner=as_owner)
    else:
        settings = _external(env, as_owner=as_owner)
    settings |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True, "ATOMIC_REQUESTS": False}
    settings.setdefault("OPTIONS", {}).setdefault("application_name", "touchstone")
    return settings


def _embedded(data: Path, *, as_owner: bool) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": embedded.DATABASE,
        "USER": embedded.OWNER if as_owner else embedded.APP,
        "HOST": embedded.socket_folder(data),
        "PORT": "",
    }


def _external(env: Any, *, as_owner: bool) -> dict[str, Any]:
    if as_owner and "DATABASE_OWNER_URL" in os.environ:
        return dict(env.db_url("DATABASE_OWNER_URL"))
    settings = dict(env.db_url("DATABASE_URL"))
    if not as_owner and "DATABASE_OWNER_URL" not in os.environ:
        settings.setdefault("OPTIONS", {})["options"] = f"-c role={embedded.APP}"
    return settings
