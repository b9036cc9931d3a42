"""Ed25519ph of RFC 8032, which signs a digest: the neighbour that pure Ed25519 must not accept.

Written out because no library of the tests has it. Slow and not in constant time: for tests alone.
"""

from hashlib import sha512

P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
BASE_Y = 4 * pow(5, -1, P) % P
BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202
Point = tuple[int, int]
DOMAIN = b"SigEd25519 no Ed25519 collisions\1\0"


def sign_prehashed(private: bytes, message: bytes) -> bytes:
    """Sign with a raw private key of 32 bytes and no context."""
    digest, expanded = sha512(message).digest(), sha512(private).digest()
    scalar = int.from_bytes(expanded[:32], "little") & (2**254 - 8) | 2**254
    public = _encoded(_times(scalar))
    nonce = _hashed(DOMAIN, expanded[32:], digest)
    commitment = _encoded(_times(nonce))
    answer = (nonce + _hashed(DOMAIN, commitment, public, digest) * scalar) % ORDER
    return commitment + answer.to_bytes(32, "little")


def _hashed(*parts: bytes) -> int:
    return int.from_bytes(sha512(b"".join(parts)).digest(), "little") % ORDER


def _times(scalar: int) -> Point:
    found, step = (0, 1), (BASE_X, BASE_Y)
    while scalar:
        if scalar & 1:
            found = _sum(found, step)
        step, scalar = _sum(step, step), scalar >> 1
    return found


def _sum(one: Point, other: Point) -> Point:
    (x1, y1), (x2, y2) = one, other
    bent = D * x1 * x2 * y1 * y2
    return (
        (x1 * y2 + x2 * y1) * pow(1 + bent, -1, P) % P,
        (y1 * y2 + x1 * x2) * pow(1 - bent, -1, P) % P,
    )


def _encoded(point: Point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")
