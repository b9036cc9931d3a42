"""What may stand in an address, so that nothing else reaches a query."""

from django.urls import register_converter


class VersionConverter:
    """A version: letters, digits, dots and hyphens, as SemVer writes them."""

    regex = r"[0-9A-Za-z][0-9A-Za-z.-]{0,59}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class Sha256Converter(VersionConverter):
    """A digest in lower-case hex."""

    regex = r"[0-9a-f]{64}"


register_converter(VersionConverter, "version")
register_converter(Sha256Converter, "sha256")
