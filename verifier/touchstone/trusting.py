"""`touchstone trust`: pin a store's root on first use, and take in the keys that it signs."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from touchstone.fetching import AddressError, FetchError, fetch, origin_of
from touchstone.key_document import KeyDocument
from touchstone.keys import KeysError, to_entry
from touchstone.report import Report
from touchstone.root import RootError, SignedKeys, fingerprint, grouped, parse_root, verify_keys
from touchstone.times import format_time
from touchstone.trust_file import Pinned, TrustFileError, read_trust, write_trust

PLACE = "/.well-known/touchstone/"

# Shows origin and fingerprint to a person; whether they say that it is the seller's.
Ask = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Offer:
    """What a store shows: its root, and the keys in the envelope that the root signed."""

    root: Ed25519PublicKey
    envelope: bytes
    signed: SignedKeys


def trust(*, url: str, path: Path, expected: str | None, ask: Ask) -> Report:
    """Pin or refresh the store at `url` in the trust file; nothing is written unless all holds.

    `expected` is the fingerprint as the seller gave it. Raises OSError if the file cannot be
    written.
    """
    report = Report()
    try:
        origin, origins = origin_of(url), read_trust(path)
        offer = _fetch_offer(origin)
    except (AddressError, FetchError, TrustFileError) as error:
        report.unchecked("trust", str(error))
        return report
    except (RootError, KeysError) as error:
        report.fails("keys", str(error))
        return report
    pinned = origins.get(origin)
    if not _accept(report, origin, offer, pinned, expected, ask):
        return report
    now = format_time(datetime.now(UTC).replace(microsecond=0))
    first = pinned.pinned_at if pinned else now
    entry = Pinned(offer.root, offer.envelope, offer.signed, first, now)
    write_trust(path, origins | {origin: entry})
    report.holds("trust file", f"{path} now has {origin}")
    return report


def _fetch_offer(origin: str) -> Offer:
    offer, shown = _fetch_once(origin)
    if shown != offer.signed.raw:
        # A key may have changed between two of the answers: once more, then it is a fault.
        offer, shown = _fetch_once(origin)
    if shown != offer.signed.raw:
        raise KeysError("keys.json is not what the root signed")
    return offer


def _fetch_once(origin: str) -> tuple[Offer, bytes]:
    root = parse_root(fetch(f"{origin}{PLACE}root.json"))
    shown = fetch(f"{origin}{PLACE}keys.json")
    envelope = fetch(f"{origin}{PLACE}keys.dsse.json")
    return Offer(root, envelope, verify_keys(envelope, root)), shown


def _accept(
    report: Report,
    origin: str,
    offer: Offer,
    pinned: Pinned | None,
    expected: str | None,
    ask: Ask,
) -> bool:
    name = fingerprint(offer.root)
    if expected is not None and expected != name:
        report.fails("root", f"its fingerprint is {grouped(name)}, not the one that you gave")
    elif pinned is not None and fingerprint(pinned.root) != name:
        report.fails("root", _other_root(origin, name, pinned))
    elif pinned is None and expected is None and not ask(origin, grouped(name)):
        report.fails("root", f"{grouped(name)} is not the seller's, you say; nothing was pinned")
    else:
        how = "as pinned" if pinned else "pinned now"
        report.holds("root", f"{grouped(name)}, {how}")
        return _is_newer(report, offer.signed, pinned)
    return False


def _is_newer(report: Report, offered: SignedKeys, pinned: Pinned | None) -> bool:
    held = pinned.signed.document if pinned else None
    found = offered.document
    if held and found.sequence < held.sequence:
        said = f"the store shows state {found.sequence}, and you have seen {held.sequence}"
        report.fails("keys", f"rolled back: {said}")
        return False
    if held and found.sequence == held.sequence and _entries(found) != _entries(held):
        report.fails("keys", f"two different documents are called state {held.sequence}")
        return False
    counts = [f"{sum(k.status == s for k in found.keys)} {s}" for s in ("active", "revoked")]
    report.holds("keys", f"state {found.sequence}, signed by the root: {', '.join(counts)}")
    return True


def _entries(document: KeyDocument) -> dict[str, dict[str, str | None]]:
    return {key.kid: to_entry(key) for key in document.keys}


def _other_root(origin: str, name: str, pinned: Pinned) -> str:
    return (
        f"{origin} shows the root {grouped(name)}, and {grouped(fingerprint(pinned.root))} was "
        f"pinned on {pinned.pinned_at}. Either somebody answers in the store's place, or the "
        "seller has a new root: ask them another way. The old one stays pinned until its entry "
        "is taken out of the trust file."
    )
