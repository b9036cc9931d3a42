from django.apps import AppConfig


class LicensingConfig(AppConfig):
    """Who agreed to what."""

    name = "licensing"

    def ready(self) -> None:
        from licensing import second_factor  # noqa: F401 -- importing registers its receiver
