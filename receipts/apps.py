from django.apps import AppConfig
from django.db.models.signals import post_migrate


class ReceiptsConfig(AppConfig):
    """What was measured and who vouches for it."""

    name = "receipts"

    def ready(self) -> None:
        from receipts.grants import grant_to_application

        post_migrate.connect(grant_to_application, dispatch_uid="receipts.grants")
