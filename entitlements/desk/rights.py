"""Who may do what at the desk: a right to look, one right an action, and a group with all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission

from entitlements.models import DeskAction

if TYPE_CHECKING:
    from django.apps import AppConfig
    from django.apps.registry import Apps

GROUP = "finance"
LOOK = "entitlements.view_payment"
ACTIONS = tuple(codename for codename, _ in DeskAction._meta.permissions)
SEEN = (
    "deskaction",
    "dispute",
    "entitlement",
    "heldpayment",
    "hold",
    "outbox",
    "payment",
    "proforma",
    "providerevent",
    "purchase",
    "refund",
    "subscription",
)


def make_finance_group(sender: AppConfig, using: str, apps: Apps = installed, **_: Any) -> None:
    """After a migrate: the group "finance", where there is none yet.

    A group that is there already stays as its people made it.
    """
    try:
        apps.get_model("auth", "Group")
        apps.get_model("entitlements", "DeskAction")
    except LookupError:
        return  # a migrate that went back, or not yet so far
    # Django makes the rights after this: its own receiver comes with a later application.
    create_permissions(sender, verbosity=0, using=using, apps=apps)
    group, new = Group.objects.using(using).get_or_create(name=GROUP)
    if new:
        names = [*ACTIONS, *(f"view_{model}" for model in SEEN)]
        group.permissions.set(
            Permission.objects.using(using).filter(
                content_type__app_label="entitlements", codename__in=names
            )
        )
