"""A visitor with cookies and no scripts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urljoin, urlsplit

import requests

from demo.walkthrough.forms import Form, FormReader
from demo.walkthrough.proof import ProofError

TIMEOUT_SECONDS = 30
SERVER_ERROR = 500


@dataclass
class Page:
    """What came back for a request, with its forms."""

    response: requests.Response

    @property
    def url(self) -> str:
        """The address after redirects."""
        return self.response.url

    @property
    def path(self) -> str:
        """The path of that address."""
        return urlsplit(self.response.url).path

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.response.status_code

    @cached_property
    def read(self) -> FormReader:
        """The page's forms, links and words."""
        return FormReader(self.response.text)

    @property
    def text(self) -> str:
        """The page's words, with single spaces."""
        return " ".join(self.read.words)

    def form(self, *, having: str = "", action: str = "") -> Form:
        """The form with such a control, or with this in its action; raises ProofError."""
        for form in self.read.forms:
            if (having and having in form.names) or (action and action in form.action):
                return form
        wanted = having or action
        raise ProofError(
            f"{self.path} ({self.status}) has no form with {wanted!r}: {self.text[:300]}"
        )


class Browser:
    """A session at the store. Any answer of 500 and above ends the journey."""

    def __init__(self, site: str) -> None:
        self._site = site
        self._session = requests.Session()
        # What the environment says about proxies is of no concern on loopback.
        self._session.trust_env = False
        self._session.headers["Accept"] = "text/html,*/*"

    def get(self, address: str, **headers: str) -> Page:
        """Fetch an address; header names with _ for -."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._page("GET", address, headers=named)

    def send(self, page: Page, form: Form, **answers: str | bool) -> Page:
        """Send a form of a page with these answers."""
        address = urljoin(page.url, form.action or page.url)
        return self._page("POST", address, data=form.filled(answers))

    def post(self, address: str) -> Page:
        """Send an empty form whose token is right: what a crafted request would look like."""
        token = self._session.cookies.get("csrftoken") or ""
        return self._page("POST", address, data={"csrfmiddlewaretoken": token})

    def _page(
        self,
        method: str,
        address: str,
        *,
        headers: dict[str, str] | None = None,
        data: dict[str, str] | None = None,
    ) -> Page:
        url = urljoin(self._site, address)
        response = self._session.request(
            method,
            url,
            headers=headers,
            data=data,
            timeout=TIMEOUT_SECONDS,
        )
        if response.status_code >= SERVER_ERROR:
            raise ProofError(f"{method} {url} answered {response.status_code}")
        return Page(response)
