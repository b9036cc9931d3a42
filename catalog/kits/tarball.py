"""The same bytes for the same files, on every machine."""

import gzip
import io
import tarfile
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path

LEVEL = 9


def write_tarball(path: Path, *, root: str, files: Mapping[str, bytes], day: date) -> None:
    """Write `files` below the folder `root` as a gzipped ustar archive dated `day`, midnight UTC.

    Names are sorted, owner and mode are fixed, and gzip carries neither time nor name.
    """
    moment = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
    with (
        path.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=LEVEL, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, content in sorted(files.items()):
            member = tarfile.TarInfo(f"{root}/{name}")
            member.size, member.mtime, member.mode = len(content), moment, 0o644
            archive.addfile(member, io.BytesIO(content))
