"""A download link is a key while it lives: no log names it."""

from __future__ import annotations

import io
import logging
import logging.config
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from gunicorn.config import Config  # type: ignore[import-untyped]  # it has no types

from config import gunicorn
from config.logging import without_links

TOKEN = "IjAxMjM0NSI:1uXyZa:0123456789-_abcdef"
SPELLINGS = [
    f"GET /download/{TOKEN} HTTP/1.1",
    f"http://store.example/download/{TOKEN}?x=1",
    f"/%64own%6Coad/{TOKEN}",
    f"%2Fdownload%2f{TOKEN}",
    f"/DOWNLOAD/{TOKEN}/more",
    f"GET /account/invitations/{TOKEN}/ HTTP/1.1",
    f"/account/in%76itations/{TOKEN}/",
]


@pytest.fixture
def stderr() -> Iterator[io.StringIO]:
    """What the configured handler of the root logger writes."""
    logging.config.dictConfig(settings.LOGGING)
    root = logging.getLogger()
    handler = next(each for each in root.handlers if each.name == "stderr")
    assert isinstance(handler, logging.StreamHandler)
    written = io.StringIO()
    handler.setStream(written)
    yield written
    root.removeHandler(handler)


@pytest.mark.parametrize("text", SPELLINGS)
def test_a_link_is_masked_however_it_is_spelt(text: str) -> None:
    assert TOKEN not in without_links(text)
    assert "[link]" in without_links(text)


@pytest.mark.parametrize(
    "text", ["/downloads/9", "/account/", "download the kit", "/download/", "/invitations/"]
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert without_links(text) == text


def test_what_follows_a_link_stays_in_the_line() -> None:
    assert without_links(f'"GET /download/{TOKEN} HTTP/1.1" 200') == (
        '"GET /download/[link] HTTP/1.1" 200'
    )


def test_djangos_warning_about_a_refused_link_has_no_token(
    db: None, client: Client, stderr: io.StringIO
) -> None:
    assert client.get(f"/download/{TOKEN}").status_code == 404
    assert "Not Found: /download/[link]" in stderr.getvalue()
    assert TOKEN not in stderr.getvalue()


def test_no_handler_of_djangos_own_writes_beside_it(stderr: io.StringIO) -> None:
    assert logging.getLogger("django").handlers == []


def _gunicorn_logger() -> gunicorn.LinklessLogger:
    config = Config()
    config.set("accesslog", "-")
    return gunicorn.LinklessLogger(config)


def test_the_access_log_has_no_token(caplog: pytest.LogCaptureFixture) -> None:
    logger, path = _gunicorn_logger(), f"/download/{TOKEN}"
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "GET",
        "RAW_URI": path,
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_REFERER": f"http://store.example{path}",
    }
    response = SimpleNamespace(status="200 OK", sent=9, headers=[])
    taken = SimpleNamespace(seconds=0, microseconds=1)
    logger.access_log.addHandler(caplog.handler)
    logger.access(response, SimpleNamespace(headers=[]), environ, taken)
    assert '"GET /download/[link] HTTP/1.1" 200' in caplog.text
    assert TOKEN not in caplog.text


def test_gunicorns_error_log_has_no_token(caplog: pytest.LogCaptureFixture) -> None:
    logger = _gunicorn_logger()
    logger.error_log.addHandler(caplog.handler)
    logger.error("Error handling request %s", f"/download/{TOKEN}")
    assert "Error handling request /download/[link]" in caplog.text
