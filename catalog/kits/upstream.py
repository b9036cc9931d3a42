"""The kit's lists about the weights say what the definition says."""

from touchstone.checksums import SumsError, parse_sums
from touchstone.upstream import UpstreamError, parse_upstream

from catalog.definition import Definition

from .refusals import KitRefused


def refuse_other_weights(definition: Definition, *, sums: bytes, upstream: bytes) -> None:
    """Raise KitRefused when a list is malformed or is of other weights than the definition's."""
    try:
        shards = len(parse_sums(sums))
        origin = parse_upstream(upstream)
    except SumsError as error:
        raise KitRefused(f"weights/SHA256SUMS: {error}") from error
    except UpstreamError as error:
        raise KitRefused(f"weights/upstream.json: {error}") from error
    if shards != definition.weights.shards:
        raise KitRefused(
            f"weights.shards: the definition says {definition.weights.shards}, "
            f"weights/SHA256SUMS lists {shards}"
        )
    for field in ("repository", "revision", "stand_in"):
        ours, theirs = getattr(definition.upstream, field), getattr(origin, field)
        if ours != theirs:
            raise KitRefused(
                f"upstream.{field}: the definition says {ours}, weights/upstream.json says {theirs}"
            )
