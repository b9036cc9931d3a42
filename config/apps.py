from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Holds the project's own commands: the embedded database and the demo's accounts."""

    name = "config"
    verbose_name = "Touchstone"
