"""The form of the desk for imports: a definition, result files, and what the files cannot say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from touchstone.benchmarks import LARGEST, Stated

from catalog.definition import Problem
from catalog.definition.yaml_text import LARGEST as LARGEST_DEFINITION
from catalog.importing import ResultFile
from catalog.importing.problems import QUESTIONS

MOST_FILES = 50
PLACES = {"package.yaml": "package", "files": "results"}
NUMBERS = {"concurrency", "requests", "completed", "gpus"}


class _Files(forms.ClearableFileInput):
    allow_multiple_selected = True


class ResultFilesField(forms.FileField):
    """Several files at once, none larger than a result may be."""

    widget = _Files

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        """Every file by the rules for one."""
        files = [super(ResultFilesField, self).clean(each) for each in data or [None]]
        if len(files) > MOST_FILES:
            raise forms.ValidationError(f"At most {MOST_FILES} files at once.")
        for file in files:
            _refuse_larger(file, LARGEST)
        return files


class ImportForm(forms.Form):
    """Asks for the same as the command does, under the same names."""

    package = forms.FileField(label="package.yaml")
    results = ResultFilesField(
        label="Result files", help_text="vLLM, SGLang, guidellm, aiperf, InferenceX"
    )
    profile = forms.CharField(max_length=60, help_text="the profile that was measured")
    replace = forms.BooleanField(required=False, label="Also replace points that are measured")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, question in QUESTIONS.items():
            self.fields[name] = _answer(name, f"{question}, if no file says it")

    def clean_package(self) -> bytes:
        """The bytes of the definition."""
        file: UploadedFile[Any] = self.cleaned_data["package"]
        _refuse_larger(file, LARGEST_DEFINITION)
        content: bytes = file.read()
        return content

    def clean_results(self) -> list[ResultFile]:
        """The bytes of each result under its name."""
        files: list[UploadedFile[Any]] = self.cleaned_data["results"]
        return [ResultFile(name=file.name or "", raw=file.read()) for file in files]

    def stated(self) -> Stated:
        """What the files cannot say."""
        return Stated(**{name: self.cleaned_data[name] or None for name in QUESTIONS})

    def add_problems(self, problems: Sequence[Problem]) -> None:
        """Show each problem at its field, or above the form where it is of no field of it."""
        for each in problems:
            field = PLACES.get(each.path, each.path)
            if field in self.fields:
                self.add_error(field, each.rule)
            else:
                self.add_error(None, str(each))


def _answer(name: str, help_text: str) -> forms.Field:
    if name in NUMBERS:
        return forms.IntegerField(
            required=False, min_value=1, max_value=10**9, label=_label(name), help_text=help_text
        )
    return forms.CharField(required=False, max_length=120, label=_label(name), help_text=help_text)


def _label(name: str) -> str:
    return "GPUs" if name == "gpus" else name.replace("_", " ").capitalize()


def _refuse_larger(file: UploadedFile[Any], most: int) -> None:
    if file.size is None or file.size > most:
        raise forms.ValidationError(f"{file.name}: larger than {most} bytes.")
