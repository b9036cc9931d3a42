from django.urls import path, re_path

import catalog.converters  # noqa: F401 -- registers <version:...> and <sha256:...>
from catalog import receipt_views, views

app_name = "catalog"
RECEIPT = "receipts/(?P<payload_sha256>[0-9a-f]{64})/"
urlpatterns = [
    path("", views.catalogue, name="catalogue"),
    path("check/", views.check, name="check"),
    path("packages/<slug:slug>/", views.package, name="package"),
    path("packages/<slug:slug>/card/", views.card, name="card"),
    path("packages/<slug:slug>/card.json", views.card_json, name="card_json"),
    path("packages/<slug:slug>/<version:version>/", views.version, name="version"),
    path(
        "packages/<slug:slug>/<version:version>/receipt.json", receipt_views.receipt, name="receipt"
    ),
    path(
        "packages/<slug:slug>/<version:version>/receipt.sigstore.json",
        receipt_views.receipt_bundle,
        name="receipt_bundle",
    ),
    path(
        "packages/<slug:slug>/<version:version>/raw/<sha256:sha256>/",
        receipt_views.raw_file,
        name="raw_file",
    ),
    re_path(rf"^{RECEIPT}$", receipt_views.receipt_page, name="receipt_page"),
    re_path(rf"^{RECEIPT}receipt\.pdf$", receipt_views.receipt_pdf, name="receipt_pdf"),
]
