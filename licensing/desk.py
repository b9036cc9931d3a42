"""The desk for licence terms: what `manage.py publish_terms` does, by upload."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import ADDITION, LogEntry
from django.contrib.auth.decorators import permission_required
from django.contrib.contenttypes.models import ContentType
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from licensing.access import current_user
from licensing.fields import MarkField
from licensing.models import LicenceTerms
from licensing.publishing_terms import LARGEST, TermsAreFinal, publish_text
from licensing.terms_text import TermsError


class TermsForm(forms.Form):
    """A terms file, and a mark that its publication is final."""

    file = forms.FileField(
        label="Terms file", help_text="Its bytes are published as they are: UTF-8, LF, Markdown."
    )
    final = MarkField(
        label="Publish for good",
        help_text="A published text never changes; who signs from now on signs this one.",
    )

    def clean_file(self) -> bytes:
        """The bytes of the text."""
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if file.size is None or file.size > LARGEST:
            raise forms.ValidationError(f"text: must have at most {LARGEST} bytes")
        content: bytes = file.read()
        return content


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required("licensing.add_licenceterms", raise_exception=True)
def publish_terms_page(request: HttpRequest) -> HttpResponse:
    """Publish an uploaded text, or say at its field what is wrong with it."""
    form = TermsForm(request.POST, request.FILES) if request.method == "POST" else TermsForm()
    terms = _publish(request, form) if form.is_valid() else None
    if terms is not None:
        return redirect("admin:licensing_licenceterms_change", terms.pk)
    context = {**admin.site.each_context(request), "title": "Publish licence terms", "form": form}
    status = 400 if form.errors else 200
    return render(request, "admin/publish_terms.html", context, status=status)


def _publish(request: HttpRequest, form: TermsForm) -> LicenceTerms | None:
    try:
        terms, new = publish_text(body=form.cleaned_data["file"])
    except (TermsError, TermsAreFinal) as error:
        form.add_error("file", str(error))
        return None
    if new:
        LogEntry.objects.create(
            user_id=current_user(request).pk,
            content_type=ContentType.objects.get_for_model(LicenceTerms),
            object_id=str(terms.pk),
            object_repr=str(terms),
            action_flag=ADDITION,
            change_message="Published at the desk.",
        )
    state = "published" if new else "is published already"
    messages.success(request, f"{terms} {state}, SHA-256 {terms.sha256}")
    return terms
