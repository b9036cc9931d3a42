"""What no kit may hold: weights under any name, and secrets."""

import math
import re
from collections import Counter


class KitRefused(Exception):
    """A file or name may not go into a kit; the message names it and the rule."""


WEIGHT_ENDINGS = (
    ".safetensors",
    ".gguf",
    ".ggml",
    ".bin",
    ".pt",
    ".pth",
    ".ckpt",
    ".onnx",
    ".h5",
    ".hdf5",
    ".npy",
    ".npz",
    ".tflite",
    ".msgpack",
    ".pkl",
    ".pickle",
    ".joblib",
)
WEIGHT_STARTS = {
    b"GGUF": "GGUF",
    # GGUF's elders, whose magic numbers were written as little-endian integers.
    b"lmgg": "GGML",
    b"fmgg": "GGML",
    b"tjgg": "GGML",
    b"\x89HDF\r\n\x1a\n": "HDF5",
    b"\x93NUMPY": "NumPy",
    b"PK\x03\x04": "a zip archive (PyTorch, NumPy)",
    b"\x80\x02": "a pickle",
    b"\x80\x03": "a pickle",
    b"\x80\x04": "a pickle",
    b"\x80\x05": "a pickle",
}
SECRETS = {
    "a private key": re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "an AWS access key": re.compile(rb"\b(AKIA|ASIA)[0-9A-Z]{16}\b"),
    "a Stripe key": re.compile(rb"\b[sr]k_(live|test)_[0-9A-Za-z]{10,}"),
    "a webhook secret": re.compile(rb"\bwhsec_[0-9A-Za-z]{16,}"),
    "a Hugging Face token": re.compile(rb"\bhf_[0-9A-Za-z]{30,}"),
    "a GitHub token": re.compile(rb"\bgh[pousr]_[0-9A-Za-z]{30,}"),
}
SECRET_NAMES = re.compile(r"(^|/)(\.env(\..+)?|\.netrc|\.npmrc|\.pypirc|id_(rsa|ed25519|ecdsa))$")
# Text and configuration stay far below 7.9 bits a byte; weights and other noise reach it.
NOISE_BITS = 7.9
NOISE_SIZE = 64 << 10


def refuse_content(name: str, content: bytes) -> None:
    """Raise KitRefused when a file holds weights or a secret, whatever its name."""
    if name.lower().endswith(WEIGHT_ENDINGS):
        raise KitRefused(f"{name}: a kit holds no weight file, and this name ends like one")
    if found := _weights(content):
        raise KitRefused(f"{name}: a kit holds no weight byte, and this content is {found}")
    if SECRET_NAMES.search(name):
        raise KitRefused(f"{name}: files of this name hold secrets")
    for what, pattern in SECRETS.items():
        if pattern.search(content):
            raise KitRefused(f"{name}: the content holds {what}")


def _weights(content: bytes) -> str:
    for start, what in WEIGHT_STARTS.items():
        if content.startswith(start):
            return what
    if content[4:8] == b"TFL3":
        return "TFLite"
    if _is_safetensors(content):
        return "safetensors"
    if len(content) >= NOISE_SIZE and _bits_per_byte(content) > NOISE_BITS:
        return "dense binary data"
    return ""


def _is_safetensors(content: bytes) -> bool:
    # Eight bytes of little-endian header length, then a JSON object of that length.
    length = int.from_bytes(content[:8], "little")
    return content[8:9] == b"{" and 2 <= length <= len(content) - 8


def _bits_per_byte(content: bytes) -> float:
    total = len(content)
    return -sum(n / total * math.log2(n / total) for n in Counter(content).values())
