import argparse
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from touchstone.benchmarks import Stated

from catalog.definition import DefinitionError, read_definition
from catalog.definition.loading import NAME
from catalog.importing import ImportRefused, import_results, write_import
from catalog.importing.gathering import gather
from catalog.importing.problems import QUESTIONS, option
from catalog.importing.telling import lines

NUMBERS = {"concurrency", "requests", "completed", "gpus"}


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 10**9):
        raise argparse.ArgumentTypeError("must be a whole number from 1 on")
    return int(text)


class Command(BaseCommand):
    help = (
        "Put the results of vLLM bench serve, SGLang bench_serving, guidellm, aiperf or InferenceX "
        "into a package's serving curve, and keep their files beside it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="or a folder")
        parser.add_argument(
            "--into", required=True, type=Path, metavar="DEFINITION", help="folder or package.yaml"
        )
        parser.add_argument("--profile", required=True, help="the profile that was measured")
        parser.add_argument("--replace", action="store_true", help="also points that are measured")
        for name, question in QUESTIONS.items():
            kind = _count if name in NUMBERS else str
            parser.add_argument(option(name), type=kind, help=f"{question}, if no file says it")

    def handle(self, *args: Any, files: list[Path], into: Path, **options: Any) -> None:
        folder = into.parent if into.name == NAME else into
        try:
            imported = import_results(
                package=read_definition(folder),
                files=gather(files),
                profile=options["profile"],
                stated=Stated(**{name: options[name] for name in QUESTIONS}),
                replace=options["replace"],
            )
            write_import(folder, imported)
        except (ImportRefused, DefinitionError) as error:
            raise CommandError(f"nothing was written:\n{error}") from error
        except OSError as error:
            raise CommandError(
                f"nothing was written: {error.filename}: {error.strerror}"
            ) from error
        for line in lines(imported.rows):
            self.stdout.write(line)
        for remark in imported.remarks:
            self.stdout.write(f"remark: {remark}")
        self.stdout.write(f"wrote {len(imported.rows)} points and {len(imported.files)} raw files")
