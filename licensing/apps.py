from django.apps import AppConfig


class LicensingConfig(AppConfig):
    """Who agreed to what."""

    name = "licensing"
