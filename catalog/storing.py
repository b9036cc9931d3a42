"""Where kits lie: under their digest, so that a path can only ever hold those bytes."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import IO

from django.core.files import File
from django.core.files.storage import storages

from catalog.models import Kit


class KitDamaged(Exception):
    """The stored bytes are missing or are not those of the kit's digest."""


def store_kit(path: Path, *, sha256: str) -> str:
    """Copy a built kit into the `kits` storage and return its place there."""
    storage = storages["kits"]
    place = f"sha256/{sha256[:2]}/{sha256}.tar.gz"
    if storage.exists(place):
        with storage.open(place) as stored:
            if hashlib.file_digest(stored, "sha256").hexdigest() == sha256:
                return place
        storage.delete(place)
    with path.open("rb") as file:
        return str(storage.save(place, File(file)))


def open_kit(kit: Kit) -> IO[bytes]:
    """Open a kit's bytes after comparing them with its digest. Raises KitDamaged."""
    try:
        file = storages["kits"].open(kit.path)
    except OSError as error:
        raise KitDamaged(f"kit {kit.sha256} is not in the storage") from error
    if hashlib.file_digest(file, "sha256").hexdigest() != kit.sha256:
        file.close()
        raise KitDamaged(f"kit {kit.sha256}: the stored bytes have another digest")
    file.seek(0)
    return file
