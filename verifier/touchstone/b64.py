"""Base64 as DSSE allows it: either alphabet, and only the one spelling of each value."""

from base64 import b64decode, b64encode, urlsafe_b64encode


def decode(text: str) -> bytes:
    """Decode standard or URL-safe base64, padded or not. Raises ValueError.

    Stray bits, mixed alphabets and white space are refused, so an altered character is noticed
    even where a lenient decoder would give the same bytes.
    """
    standard = text.replace("-", "+").replace("_", "/")
    data = b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    spellings = (b64encode(data).decode(), urlsafe_b64encode(data).decode())
    if text not in {*spellings, *(spelling.rstrip("=") for spelling in spellings)}:
        raise ValueError("not the base64 that these bytes encode to")
    return data


def encode_url(data: bytes) -> str:
    """Encode as JOSE does: URL-safe and without padding."""
    return urlsafe_b64encode(data).decode().rstrip("=")
