"""What stands on the printed sheet of a receipt, as plain data for its template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.template.loader import render_to_string

from catalog.definition import Definition
from catalog.measured import Cell, Compared, Measured, Note, Row
from catalog.templatetags.written import figure, filesize, signed_figure

STYLE = (
    "<style>.grid{stroke:#ccc}.strong{stroke:#000}.line{fill:none;stroke:#0b5d4f;stroke-width:2.5}"
    ".dot,.bar{fill:#0b5d4f}.line-1{stroke:#111;stroke-dasharray:6 4}.dot-1{fill:#111}"
    ".line-2{stroke:#777;stroke-dasharray:2 4}.dot-2{fill:#777}"
    ".behind{fill:none;stroke:#111;stroke-width:2}text{font:15px 'Libertinus Serif';fill:#111}"
    ".soft{fill:#555}</style>"
)


def receipt_sheet(context: Mapping[str, Any]) -> dict[str, Any]:
    """The context of a receipt's page, in the order in which the sheet shows it."""
    card, receipt, definition = context["card"], context["receipt"], context["definition"]
    measured: Measured = context["measured"]
    return {
        "title": f"{card.title}, version {card.version}",
        "status": receipt.key.status,
        "signed": receipt.issued_at.strftime("%Y-%m-%d %H:%M UTC"),
        "withdrawn": context["version"].withdrawal_reason,
        "url": card.receipt_page_url,
        "kit": f"{card.kit_name}, {filesize(card.kit_bytes)}",
        "digests": [
            ["Payload, SHA-256", receipt.payload_sha256],
            ["Key", receipt.key_id],
            *([subject.name, subject.sha256] for subject in context["subjects"]),
        ],
        "stand_ins": len(card.stand_ins),
        "protocol": _protocol(definition),
        "machine": f"{definition.hardware.node}, {definition.engine.name}, {definition.model.name}",
        "chart": _chart("components/curve_chart.html", {"curve": context["curve"]}),
        "profiles": [line.profile for line in context["curve"].lines] if context["curve"] else [],
        "columns": list(measured.columns),
        "rows": [_row(row) for row in measured.rows],
        "comparisons": [_comparison(each) for each in measured.comparisons],
        "remarks": [[note.number, _remark(note)] for note in measured.notes],
        "not_measured": [
            f"{each.subject}: {each.note}" if each.note else each.subject
            for each in definition.not_measured
        ],
        "limits": list(definition.limits),
        "checks": len(context["findings"]),
        "commands": [
            f"curl -O {card.receipt_url}",
            f"curl -O {context['site_url']}/.well-known/touchstone/keys.json",
            f"touchstone verify {card.kit_name} --receipt receipt.json --keys keys.json",
        ],
    }


def _protocol(definition: Definition) -> str:
    curve = definition.protocols.serving_curve
    return (
        f"{curve.throughput_unit}; {curve.prompt_tokens:,} prompt and {curve.output_tokens:,} "
        f"output tokens a request, temperature {curve.temperature}, streaming "
        f"{'yes' if curve.streaming else 'no'}, seed {curve.seed}, "
        f"{curve.warmup_requests_per_point} warm-up before each point"
    )


def _row(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {"profile": row.profile, "concurrency": row.concurrency, "cells": []}
    if row.point is None:
        return found | {"per_gpu": "not characterised", "aggregate": "", "completed": ""}
    return found | {
        "per_gpu": figure(row.point.per_gpu),
        "aggregate": figure(row.point.aggregate) + _marks(row.notes),
        "completed": row.completed,
        "request_rate": _rate(row),
        "cells": [_cell(cell) for cell in row.cells],
    }


def _rate(row: Row) -> str:
    rate = getattr(row.point, "request_rate", None)
    return figure(rate) if rate else "not published"


def _cell(cell: Cell) -> str:
    statistics = (
        f"{each.name} {figure(each.value)} {cell.unit}{'' if each.supported else ' (unsupported)'}"
        for each in cell.statistics
    )
    return ("; ".join(statistics) or "not published") + _marks(cell.notes)


def _comparison(compared: Compared) -> dict[str, Any]:
    comparison = compared.comparison
    return {
        "title": comparison.title,
        "text": (
            f"{comparison.profile} against {comparison.against}: {comparison.quantity}. One "
            f"variable changed: {comparison.one_variable}. The same: {comparison.same}."
        ),
        "chart": _chart(
            "components/bars.html", {"chart": compared.chart, "comparison": comparison}
        ),
        "rows": [
            [
                row.concurrency,
                f"{signed_figure(row.percent)} %{_marks(notes)}",
                comparison.profile if row.percent > 0 else comparison.against,
            ]
            for row, notes in compared.rows
        ],
    }


def _remark(note: Note) -> str:
    reason = f" The reason given: {note.finding.reason}" if note.finding.reason else ""
    return note.finding.text + reason


def _marks(notes: tuple[Note, ...]) -> str:
    return "".join(f" [{note.number}]" for note in notes)


def _chart(template: str, context: dict[str, Any]) -> str:
    drawn = render_to_string(template, context)
    head, _, rest = drawn.partition(">")
    return f"{head}>{STYLE}{rest}"
