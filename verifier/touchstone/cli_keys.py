"""The commands about keys: `trust` pins a store's root, `sign-keys` is for the holder of one."""

import argparse
import sys
from pathlib import Path

from touchstone.errors import TouchstoneError
from touchstone.report import Report
from touchstone.sources import read_document


class Undecided(TouchstoneError):
    """A person must compare the fingerprint, and none did."""


def add_trust(command: argparse.ArgumentParser) -> None:
    """Give `touchstone trust` its arguments."""
    command.add_argument("url", metavar="URL", help="the store, such as https://store.example")
    command.add_argument("--fingerprint", help="the root's, as the seller gave it another way")
    command.add_argument("--yes", action="store_true", help="pin what the store shows, unasked")
    command.add_argument("--json", action="store_true", help="report as JSON")
    command.set_defaults(run=_trust)


def add_sign_keys(command: argparse.ArgumentParser) -> None:
    """Give `touchstone sign-keys` its arguments."""
    command.add_argument("file", type=Path, metavar="FILE", help="keys.json, as exported")
    command.add_argument("--root", type=Path, required=True, help="the root's private half, a PEM")
    # Standard output carries the envelope, so the report goes to the other stream.
    command.set_defaults(run=_sign_keys, json=False, report_to="stderr")


def _trust(args: argparse.Namespace) -> Report:
    from touchstone.root import RootError, parse_fingerprint
    from touchstone.trust_file import trust_path
    from touchstone.trusting import trust

    try:
        expected = parse_fingerprint(args.fingerprint) if args.fingerprint else None
    except RootError as error:
        raise Undecided(f"--{error}") from error
    return trust(
        url=args.url,
        path=trust_path(),
        expected=expected,
        ask=(lambda *_: True) if args.yes else _ask,
    )


def _ask(origin: str, fingerprint: str) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Undecided(
            f"the root of {origin} has the fingerprint {fingerprint}. Compare it with the "
            "seller's, then give it with --fingerprint"
        )
    sys.stderr.write(
        f"\nThe root key of {origin} has this fingerprint:\n\n    {fingerprint[:39]}\n"
        f"    {fingerprint[40:]}\n\nCompare it with the one that the seller gave you another way: "
        "on paper, by telephone.\nIs it the same? Type yes or no: "
    )
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() == "yes"


def _sign_keys(args: argparse.Namespace) -> Report:
    from touchstone.key_document import parse_document
    from touchstone.root import fingerprint, grouped, load_root, sign_keys

    raw, root = read_document(args.file), load_root(read_document(args.root))
    envelope = sign_keys(raw, root)
    report = Report()
    document = parse_document(raw)
    for key in document.keys:
        report.holds(f"key {key.kid}", f"{key.purpose}, {key.status}")
    report.holds("root", f"{grouped(fingerprint(root.public_key()))} signed {document.sequence}")
    sys.stdout.buffer.write(envelope)
    return report
