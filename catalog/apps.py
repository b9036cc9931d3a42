from django.apps import AppConfig


class CatalogConfig(AppConfig):
    """What is for sale."""

    name = "catalog"
