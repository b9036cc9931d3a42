"""A receipt on one sheet of A4, set by Typst from the same figures as the page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.cache import cache as store

from catalog.sheets import receipt_sheet

if TYPE_CHECKING:
    import typst

FOLDER = settings.BASE_DIR / "templates" / "print"
KEPT = 3600  # seconds


def as_pdf(context: Mapping[str, Any]) -> bytes:
    """The context of a receipt's page as PDF; the same context gives the same bytes."""
    data = json.dumps(receipt_sheet(context), sort_keys=True)
    key = f"receipt-pdf-{hashlib.sha256(data.encode()).hexdigest()}"
    kept: bytes | None = store.get(key)
    if kept is None:
        made = _compiler().compile(sys_inputs={"data": data}, format="pdf")
        kept = made if isinstance(made, bytes) else b"".join(made or ())
        store.set(key, kept, timeout=KEPT)
    return kept


@cache
def _compiler() -> typst.Compiler:
    # Larger than all the rest: loaded with the first receipt that is printed.
    import typst

    # Only the fonts that Typst brings: the same sheet on every machine.
    return typst.Compiler(str(FOLDER / "receipt.typ"), root=str(FOLDER), ignore_system_fonts=True)
