"""The desk's pages under /staff/finance/: the overview, a list, an action."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from entitlements.desk import money_lists, row_pages, transfer_pages, work_lists
from entitlements.desk.differences import at_the_provider, differences, how_many
from entitlements.desk.forms import WhyForm
from entitlements.desk.lists import DeskList
from entitlements.desk.log import DeskRefused
from entitlements.desk.pages import ActionPage
from entitlements.desk.rights import LOOK
from entitlements.desk.searching import matching
from licensing.access import current_user

LISTS: dict[str, DeskList] = {
    each.name: each
    for each in (
        money_lists.PURCHASES,
        money_lists.PAYMENTS,
        money_lists.HELD,
        money_lists.REFUNDS,
        money_lists.DISPUTES,
        work_lists.HOLDS,
        work_lists.EVENTS,
        work_lists.DEAD,
        work_lists.LOG,
    )
}
PAGES: dict[str, ActionPage] = {
    each.name: each
    for each in (
        transfer_pages.RECORD,
        transfer_pages.APPLY,
        transfer_pages.RETURN,
        row_pages.REFUND,
        row_pages.SENT,
        row_pages.RELEASE,
        row_pages.BREACH,
        row_pages.REPLAY,
        row_pages.RETRY,
    )
}
NEW = "new"  # in an address, for an action that begins with no row
PER_PAGE = 50
LONGEST_SEARCH = 120


@never_cache
@require_safe
@permission_required(LOOK, raise_exception=True)
def overview(request: HttpRequest) -> HttpResponse:
    """What waits for somebody, by its number, and the ways to everything else."""
    context = {
        "lists": [(each, each.count()) for each in LISTS.values()],
        "differences": how_many(),
    }
    return _page(request, "overview", "Finance", context)


@never_cache
@require_safe
@permission_required(LOOK, raise_exception=True)
def differences_page(request: HttpRequest) -> HttpResponse:
    """Everything that does not agree, with its way out; Stripe is asked when somebody asks."""
    context: dict[str, Any] = {"differences": list(differences()), "compared": False}
    if "compare" in request.GET:
        try:
            context["differences"] += at_the_provider()
            context["compared"] = True
        except DeskRefused as refusal:
            context["refused"] = str(refusal)
    return _page(request, "differences", "Differences", context)


@never_cache
@require_safe
@permission_required(LOOK, raise_exception=True)
def list_page(request: HttpRequest, name: str) -> HttpResponse:
    """One list, searched, in pages; a row has the actions that the reader has the right to."""
    shown = LISTS.get(name)
    if shown is None:
        raise Http404("There is no such list.")
    said = request.GET.get("q", "").strip().replace("\0", "")[:LONGEST_SEARCH]
    rows = shown.rows()
    if said:
        # Apart: a search that leads over other tables must not show a row twice.
        found = matching(said, purchase=shown.purchase, fields=shown.fields)
        rows = rows.filter(pk__in=rows.model._base_manager.filter(found).order_by().values("pk"))
    narrow = shown.waiting if "waiting" in request.GET else None
    if narrow is not None:
        rows = narrow(rows)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "list": shown,
        "page": page,
        "rows": [
            (
                zip(shown.columns, shown.cells(row), strict=True),
                [each for each in shown.links(row) if _has(request, each.right)],
            )
            for row in page
        ],
        "q": said,
        "only_waiting": narrow is not None,
    }
    return _page(request, "list", shown.title, context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@permission_required(LOOK, raise_exception=True)
def action_page(request: HttpRequest, action: str, pk: str) -> HttpResponse:
    """Ask why, show what will happen, then do it, once."""
    page = PAGES.get(action)
    row = page.find(pk) if page and page.find else None
    if page is None or (row is None if page.find else pk != NEW):
        raise Http404("There is no such action.")
    if not _has(request, page.right):
        raise PermissionDenied(f"This needs the right entitlements.{page.right}.")
    if request.method == "POST":
        form = page.form(request.POST)
    else:
        form = page.form(initial=_initial(page, request))
    foreseen: list[str] = []
    try:
        if form.is_bound and form.is_valid():
            if form.cleaned_data.get("confirmed") or not form.previews:
                messages.success(request, page.act(row, form.cleaned_data, current_user(request)))
                return redirect("finance_list", page.back)
            foreseen = page.foresee(row, form.cleaned_data)
        elif not form.previews:
            foreseen = page.foresee(row, {})
    except DeskRefused as refusal:
        return _action(request, page, row, form, refused=str(refusal))
    return _action(request, page, row, form, foreseen=foreseen)


def _action(
    request: HttpRequest,
    page: ActionPage,
    row: Any,
    form: WhyForm,
    *,
    foreseen: list[str] | None = None,
    refused: str = "",
) -> HttpResponse:
    context = {
        "action": page,
        "facts": page.facts(row),
        "form": form,
        "foreseen": foreseen,
        "refused": refused,
        # The same values once more, hidden, behind the button that does it.
        "confirm": form.previews and form.is_bound and form.is_valid() and not refused,
        "back": LISTS[page.back],
    }
    bad = form.is_bound and (not form.is_valid() or bool(refused))
    return _page(request, "action", page.title, context, status=400 if bad else 200)


def _initial(page: ActionPage, request: HttpRequest) -> dict[str, Any]:
    # What a list's link filled in.
    named = {
        name: request.GET.getlist(name) for name in ("purchase", "held") if name in request.GET
    }
    return {
        name: values if name == "held" else values[0]
        for name, values in named.items()
        if name in page.form.base_fields
    }


def _has(request: HttpRequest, right: str) -> bool:
    return request.user.has_perm(f"entitlements.{right}")


def _page(
    request: HttpRequest, template: str, title: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    # Tables are wide: the room of the admin's own list of tables is theirs.
    shared = admin.site.each_context(request) | {"is_nav_sidebar_enabled": False, "title": title}
    return render(request, f"admin/finance/{template}.html", shared | context, status=status)
