from django.urls import path

import catalog.converters  # noqa: F401 -- registers <version:...>
from licensing import views

app_name = "licensing"
urlpatterns = [
    path("packages/<slug:slug>/licence/", views.licence, name="licence"),
    path("licences/<slug:family>-<version:version>.txt", views.terms_text, name="terms_text"),
    path("account/signatures/<uuid:pk>/", views.signature, name="signature"),
    path("account/signatures/<uuid:pk>/agreement.pdf", views.agreement, name="agreement"),
    path(
        "account/signatures/<uuid:pk>/licence-receipt.json",
        views.licence_receipt,
        name="licence_receipt",
    ),
]
