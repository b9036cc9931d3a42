from __future__ import annotations

from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from catalog.models import Package, PackageVersion
from licensing.access import current_user, has_verified_email, is_member_account
from licensing.acting import act_for, acting_entity
from licensing.agreements import agreement_name, agreement_pdf
from licensing.forms import LicenceForm
from licensing.models import LicenceSignature, LicenceTerms
from licensing.recent_login import require_recent_login
from licensing.signing import (
    AUTHORITY,
    CONSENT,
    NetworkEvidence,
    SigningRefused,
    TermsChanged,
    refuse_early,
    refuse_other_terms,
    sign_licence,
)
from licensing.summary import seal, was_seen
from licensing.terms_text import parse_affirmations


def package_on_sale(slug: str) -> PackageVersion:
    """The version that a buyer of the package gets today, or 404."""
    version = PackageVersion.on_sale().filter(package__slug=slug).first()
    if version is None:
        raise Http404("No such package is on sale.")
    return version


def terms_for(version: PackageVersion) -> LicenceTerms:
    """The current terms of a version's tier, or 404."""
    named = version.definition.licence_terms
    terms = LicenceTerms.current(named.family if named else version.definition.tier)
    if terms is None:
        raise Http404("No licence terms are published for this package yet.")
    return terms


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def licence(request: HttpRequest, slug: str) -> HttpResponse:
    """Read the full terms; signed in, sign them. A stranger reads and is asked to sign in."""
    version = package_on_sale(slug)
    terms = terms_for(version)
    if not is_member_account(request.user):
        if request.method == "POST":
            return redirect("account_login")
        return _page(request, version=version, terms=terms, form=None)
    form = LicenceForm(
        request.POST if request.method == "POST" else None,
        account=request.user,
        affirmations=parse_affirmations(terms.text),
        initial={
            "terms_sha256": terms.sha256,
            "attempt": uuid4(),
            "entity": acting_entity(request),
            "signer_name": request.user.name,
        },
    )
    if request.method == "POST" and form.is_valid():
        if "edit" in request.POST:
            return _page(request, version=version, terms=terms, form=form)
        require_recent_login(request)
        try:
            if not _is_confirmed(request, form=form, package=version.package, terms=terms):
                return _summary(request, version=version, terms=terms, form=form)
            signature = _sign(request, form=form, package=version.package, terms=terms)
        except TermsChanged as change:
            messages.error(request, str(change))
            return redirect("licensing:licence", slug)
        except SigningRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            # Who signs for an entity goes on for it: its licence is what is paid for next.
            act_for(request, signature.entity)
            messages.success(request, "The licence is signed.")
            if purchase := _purchase_named(request):
                return redirect("entitlements:purchase", purchase)
            # By name, not by import: what follows signing is the next room's to say.
            return redirect(f"{reverse('entitlements:buy', args=[slug])}?signature={signature.pk}")
    status = 400 if form.is_bound else 200
    return _page(request, version=version, terms=terms, form=form, status=status)


def _purchase_named(request: HttpRequest) -> UUID | None:
    """The purchase that newer terms are signed for; its own page asks whose it is."""
    try:
        return UUID(request.GET.get("purchase", ""))
    except ValueError:
        return None


def _is_confirmed(
    request: HttpRequest, *, form: LicenceForm, package: Package, terms: LicenceTerms
) -> bool:
    """Whether the signer saw the summary of these answers. Raises SigningRefused."""
    account = current_user(request)
    if was_seen(form=form, account=account, package=package):
        return True
    # Who cannot sign is told so now, not after reading a summary of it.
    refuse_early(account=account, signer_name=form.cleaned_data["signer_name"])
    refuse_other_terms(terms, read_sha256=form.cleaned_data["terms_sha256"])
    return False


def _summary(
    request: HttpRequest, *, version: PackageVersion, terms: LicenceTerms, form: LicenceForm
) -> HttpResponse:
    sentences = (each.text for each in parse_affirmations(terms.text))
    context = {
        "version": version,
        "terms": terms,
        "form": form,
        "party": form.party(),
        "sentences": [AUTHORITY, *sentences, CONSENT],
        "seal": seal(form=form, account=current_user(request), package=version.package),
    }
    return render(request, "licensing/summary.html", context)


def _sign(
    request: HttpRequest, *, form: LicenceForm, package: Package, terms: LicenceTerms
) -> LicenceSignature:
    return sign_licence(
        account=current_user(request),
        package=package,
        entity=form.party(),
        read_terms_sha256=form.cleaned_data["terms_sha256"],
        family=terms.family,
        signer_name=form.cleaned_data["signer_name"],
        signer_title=form.cleaned_data["signer_title"],
        affirmed=form.marks(),
        consented=form.cleaned_data["consent"],
        evidence=NetworkEvidence(
            remote_address=request.META.get("REMOTE_ADDR") or None,
            user_agent=request.headers.get("User-Agent", ""),
        ),
        attempt=form.cleaned_data["attempt"],
    )


def _page(
    request: HttpRequest,
    *,
    version: PackageVersion,
    terms: LicenceTerms,
    form: LicenceForm | None,
    status: int = 200,
) -> HttpResponse:
    verified = is_member_account(request.user) and has_verified_email(request.user)
    context = {
        "version": version,
        "terms": terms,
        "form": form,
        "affirmations": parse_affirmations(terms.text),
        "email_verified": verified,
    }
    return render(request, "licensing/licence.html", context, status=status)


@never_cache
@login_required
@require_safe
def signature(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A signature's record, for the members of its entity."""
    return render(request, "licensing/signature.html", {"signature": _signature(request, pk)})


@never_cache
@login_required
@require_safe
def agreement(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The executed agreement with its certificate, as PDF."""
    found = _signature(request, pk)
    response = HttpResponse(agreement_pdf(found), content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="{agreement_name(found)}"'
    return response


@never_cache
@login_required
@require_safe
def licence_receipt(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The licence receipt: the exact bytes of its envelope."""
    envelope = bytes(_signature(request, pk).countersigned.receipt.envelope)
    response = HttpResponse(envelope, content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="licence-receipt.json"'
    return response


def _signature(request: HttpRequest, pk: UUID) -> LicenceSignature:
    return get_object_or_404(
        LicenceSignature.objects.select_related(
            "terms", "package", "entity", "countersigned__receipt"
        ).filter(entity__members__user=current_user(request)),
        pk=pk,
    )
