"""Check a kit, its receipt and its weights.

Exit code 0: everything holds. 1: something does not hold. 2: it could not be checked.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from touchstone import __version__
from touchstone.cli_keys import Undecided, add_sign_keys, add_trust
from touchstone.errors import TouchstoneError
from touchstone.report import Report
from touchstone.sources import WeightLists, lists_of_file, lists_of_kit, own_list, read_document
from touchstone.weights import check_weights

UNCHECKED = 2


NO_MEMORY = "touchstone: there is not enough memory here, nothing was decided"


class _UsageError(Exception):
    """The command line lacks something."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; bad input of any kind raises nothing."""
    _escape_what_cannot_be_shown()
    try:
        args = _parser().parse_args(argv)
        report = _run(args)
        stream = sys.stderr if args.report_to == "stderr" else sys.stdout
        stream.write(report.as_json() if args.json else report.as_text(colour=_coloured(stream)))
        sys.stdout.flush()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else UNCHECKED
    except BrokenPipeError:
        # The reader left. Point the stream elsewhere, or the interpreter complains at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNCHECKED
    except MemoryError:
        sys.stderr.write(f"{NO_MEMORY}\n")
        return UNCHECKED
    except KeyboardInterrupt:
        sys.stderr.write("touchstone: interrupted, nothing was decided\n")
        return UNCHECKED
    return report.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="touchstone",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"touchstone {__version__}")
    parser.set_defaults(report_to="stdout")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_verify(commands.add_parser("verify", help="check a kit against its benchmark receipt"))
    _add_weights(commands.add_parser("weights", help="check weights against a kit's list"))
    add_trust(commands.add_parser("trust", help="pin a store's root key, or refresh its keys"))
    add_sign_keys(commands.add_parser("sign-keys", help="sign keys.json with an offline root"))
    return parser


def _add_verify(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "kit", type=Path, metavar="KIT", nargs="?", help="the tarball as downloaded"
    )
    command.add_argument("--receipt", type=Path, help="the DSSE envelope or Sigstore bundle")
    command.add_argument(
        "--keys", type=Path, help="the store's keys.json; without it, the stores you trust"
    )
    command.add_argument(
        "--buyer-receipt", type=Path, metavar="FILE", help="compare what it reveals, too"
    )
    command.add_argument(
        "--bundle", type=Path, metavar="FILE", help="instead of a kit, the evidence of a purchase"
    )
    command.add_argument("--json", action="store_true", help="report as JSON")
    command.set_defaults(run=_verify, usage=command.error)


def _add_weights(command: argparse.ArgumentParser) -> None:
    command.add_argument("directory", type=Path, metavar="DIR", help="the folder of the weights")
    lists = command.add_mutually_exclusive_group()
    lists.add_argument("--kit", type=Path, help="take the lists from this tarball")
    lists.add_argument("--sums", type=Path, help="take this list, and upstream.json beside it")
    command.add_argument("--json", action="store_true", help="report as JSON")
    command.set_defaults(run=_weights)


def _run(args: argparse.Namespace) -> Report:
    report = Report()
    try:
        checked: Report = args.run(args)
    except Undecided as error:
        report.unchecked("root", str(error))
    except TouchstoneError as error:
        report.fails("input", str(error))
    except OSError as error:
        report.unchecked("input", f"{error.filename}: {error.strerror}")
    except ImportError as error:
        # `verify` alone needs a package; it says so instead of ending in a traceback.
        report.unchecked("cryptography", f"{error}; install it: python -m pip install cryptography")
    except _UsageError as error:
        report.unchecked("input", str(error))
    else:
        return checked
    return report


def _verify(args: argparse.Namespace) -> Report:
    # Imported here, so that `weights` runs on machines without cryptography.
    from touchstone.verifying import verify_kit
    from touchstone.verifying_bundle import verify_bundle

    about_kit = (args.kit, args.receipt, args.buyer_receipt)
    if args.bundle:
        if any(about_kit):
            args.usage("--bundle is checked by itself: leave out KIT and its receipts")
        keys = read_document(args.keys) if args.keys else _pinned_keys()
        return verify_bundle(bundle=args.bundle, keys=keys)
    if not (args.kit and args.receipt):
        args.usage("name what to verify: KIT and --receipt FILE, or --bundle FILE")
    keys = read_document(args.keys) if args.keys else _pinned_keys()
    revealing = read_document(args.buyer_receipt) if args.buyer_receipt else None
    receipt = read_document(args.receipt)
    return verify_kit(kit=args.kit, receipt=receipt, keys=keys, buyer_receipt=revealing)


def _pinned_keys() -> bytes:
    from touchstone.trust_file import TrustFileError, document_of_all, read_trust, trust_path

    try:
        origins = read_trust(trust_path())
        document = document_of_all(origins)
    except TrustFileError as error:
        raise _UsageError(str(error)) from error
    if not origins:
        raise _UsageError(
            "no keys to verify with: run `touchstone trust URL` with the store's address once, or "
            "give --keys"
        )
    return document


def _weights(args: argparse.Namespace) -> Report:
    sums, upstream = _lists(args)
    return check_weights(
        directory=args.directory,
        sums=sums,
        upstream=upstream,
        progress=sys.stderr if sys.stderr.isatty() else None,
    )


def _lists(args: argparse.Namespace) -> WeightLists:
    if args.kit:
        return lists_of_kit(args.kit)
    sums = args.sums or own_list()
    if sums is None:
        raise _UsageError("name the list to compare with: --kit KIT or --sums FILE")
    return lists_of_file(sums)


def _coloured(stream: TextIO | None = None) -> bool:
    return (stream or sys.stdout).isatty() and not os.environ.get("NO_COLOR")


def _escape_what_cannot_be_shown() -> None:
    """Show a character that the terminal's encoding lacks escaped, instead of failing on it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
