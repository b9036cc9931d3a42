from django.apps import AppConfig


class EntitlementsConfig(AppConfig):
    """Who paid and may download what."""

    name = "entitlements"

    def ready(self) -> None:
        # Registers what the outbox can do.
        from entitlements import outbox_handlers, owed_receipts  # noqa: F401
