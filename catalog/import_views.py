from __future__ import annotations

import base64

from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from catalog.definition import DefinitionError
from catalog.import_form import ImportForm
from catalog.importing import Imported, ImportRefused, import_results
from catalog.importing.telling import HEADINGS, table

TEMPLATE = "admin/import_benchmark.html"


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required("catalog.add_packageversion", raise_exception=True)
def import_benchmark(request: HttpRequest) -> HttpResponse:
    """Put uploaded results into an uploaded definition and give it back; nothing is stored."""
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    imported = _import(form) if form.is_valid() else None
    context = {
        **admin.site.each_context(request),
        "title": "Import benchmark results",
        "form": form,
        "imported": imported,
    }
    if imported:
        context |= {
            "headings": HEADINGS,
            "rows": table(imported.rows),
            "package": imported.package.decode(),
            "download": base64.b64encode(imported.package).decode(),
        }
    return render(request, TEMPLATE, context, status=400 if form.errors else 200)


def _import(form: ImportForm) -> Imported | None:
    data = form.cleaned_data
    try:
        return import_results(
            package=data["package"],
            files=data["results"],
            profile=data["profile"],
            stated=form.stated(),
            replace=data["replace"],
        )
    except (ImportRefused, DefinitionError) as error:
        form.add_problems(error.problems)
        return None
