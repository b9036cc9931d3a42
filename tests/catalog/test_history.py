"""Versions side by side: figures are lined up only where they may be compared."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from catalog.history import History, Value, history
from catalog.models import PackageVersion
from catalog.publishing import publish_version
from tests.catalog.reading import shown


@pytest.fixture
def second(published: PackageVersion, package_folder: Path) -> PackageVersion:
    """Version 1.1.0, with one point that is faster."""
    return _publish(
        package_folder,
        ("version: 1.0.0", "version: 1.1.0"),
        ("per_gpu: 28.74", "per_gpu: 31.50"),
        ("aggregate: 229.93", "aggregate: 252.00"),
    )


def _publish(folder: Path, *changes: tuple[str, str]) -> PackageVersion:
    source = folder / "package.yaml"
    text = source.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    source.write_text(text)
    return publish_version(folder=folder)[0]


def _value(table: History, name: str, concurrency: int, column: int) -> Value:
    (row,) = [r for r in table.rows if (r.name, r.concurrency) == (name, concurrency)]
    return row.values[column]


def test_one_version_stands_alone(published: PackageVersion) -> None:
    table = history(published, [published])
    assert [column.version for column in table.columns] == ["1.0.0"]
    assert "This is the only version so far." in shown(Client().get(_page(published)))


def test_the_receipts_own_version_comes_first_with_differences_to_it(
    published: PackageVersion, second: PackageVersion
) -> None:
    table = history(second, PackageVersion.objects.all())
    assert [(c.version, c.current) for c in table.columns] == [("1.1.0", True), ("1.0.0", False)]
    old = _value(table, "Aggregate", 8, 1)
    assert (old.figure, old.percent) == (Decimal("229.93"), Decimal("-8.8"))
    assert _value(table, "Aggregate", 1, 1).percent == 0
    text = shown(Client().get(_page(second)))
    assert "Aggregate, output tokens per second 252.00 229.93 (\N{MINUS SIGN}8.8 %)" in text


def test_another_protocol_is_not_lined_up_and_it_says_so(
    published: PackageVersion, package_folder: Path
) -> None:
    other = _publish(package_folder, ("version: 1.0.0", "version: 1.1.0"), ("32768", "16384"))
    table = history(published, [other, published])
    assert [column.differs for column in table.columns] == [(), ("protocol",)]
    assert all(row.values[1].figure is None for row in table.rows)
    text = shown(Client().get(_page(published)))
    assert "Version 1.1.0 is not lined up: its protocol differs." in text


def test_the_queries_do_not_grow_with_the_versions(
    published: PackageVersion,
    second: PackageVersion,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    with django_assert_max_num_queries(4):
        Client().get(_page(second))


def _page(version: PackageVersion) -> str:
    assert version.benchmark_receipt is not None
    return f"/receipts/{version.benchmark_receipt.payload_sha256}/"
