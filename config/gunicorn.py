"""How the web process runs: `gunicorn --config=python:config.gunicorn config.wsgi`."""

from __future__ import annotations

from typing import Any

from gunicorn.glogging import Logger  # type: ignore[import-untyped]  # it has no types

from config.logging import HideLinks

HIDE_LINKS = HideLinks()


class LinklessLogger(Logger):  # type: ignore[misc]  # as above
    """Gunicorn's logger. Neither the access log nor the error log names a download link."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        self.access_log.addFilter(HIDE_LINKS)
        self.error_log.addFilter(HIDE_LINKS)


workers = 2
threads = 4
accesslog = "-"
logger_class = LinklessLogger
# Its place is one file a user: two stores of one machine would contend for it, and none needs it.
control_socket_disable = True
