from django.apps import AppConfig
from django.db.models.signals import post_migrate


class EntitlementsConfig(AppConfig):
    """Who paid and may download what."""

    name = "entitlements"

    def ready(self) -> None:
        # Registers what the outbox can do, and what goes with an account.
        from entitlements import (  # noqa: F401 -- the import itself registers the handlers
            billing_details,
            forgetting,
            maintenance_mail,
            outbox_handlers,
            owed_receipts,
        )
        from entitlements.desk.rights import make_finance_group
        from entitlements.signature_validity import carry_validity

        post_migrate.connect(carry_validity, self, dispatch_uid="entitlements.validity")
        post_migrate.connect(make_finance_group, self, dispatch_uid="entitlements.finance")
