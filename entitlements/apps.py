from django.apps import AppConfig


class EntitlementsConfig(AppConfig):
    """Who paid and may download what."""

    name = "entitlements"
