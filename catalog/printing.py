"""Paper: documents that Typst sets from plain data, the same bytes for the same data."""

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


def receipt_pdf(context: Mapping[str, Any]) -> bytes:
    """The context of a receipt's page as PDF, kept for a while."""
    data = receipt_sheet(context)
    digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
    kept: bytes | None = store.get(f"receipt-pdf-{digest}")
    if kept is None:
        kept = set_document("receipt.typ", data)
        store.set(f"receipt-pdf-{digest}", kept, timeout=KEPT)
    return kept


def set_document(template: str, data: Mapping[str, Any]) -> bytes:
    """A PDF from a template of templates/print and the data that it reads as JSON."""
    inputs = {"data": json.dumps(data, sort_keys=True)}
    made = _compiler(template).compile(sys_inputs=inputs, format="pdf")
    return made if isinstance(made, bytes) else b"".join(made or ())


@cache
def _compiler(template: str) -> typst.Compiler:
    # Larger than all the rest: loaded with the first document that is printed.
    import typst

    # Only the fonts that Typst brings: the same sheet on every machine.
    return typst.Compiler(str(FOLDER / template), root=str(FOLDER), ignore_system_fonts=True)
