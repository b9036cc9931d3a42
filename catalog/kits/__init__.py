"""Building the kit: which files go in, what is refused, and the same bytes each time."""

from .building import BuiltKit, KitFile, build_kit
from .reading import read_file
from .refusals import KitRefused

__all__ = ["BuiltKit", "KitFile", "KitRefused", "build_kit", "read_file"]
