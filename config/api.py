from django.urls import path

import catalog.converters  # noqa: F401 -- registers <version:...>
from catalog.api import PackageCard, Packages
from entitlements.api import Kits, Links
from entitlements.pro_forma_api import ProFormas

urlpatterns = [
    path("packages/", Packages.as_view(), name="api_packages"),
    path("packages/<slug:slug>/", PackageCard.as_view(), name="api_package"),
    path("kits/", Kits.as_view(), name="api_kits"),
    path("kits/<uuid:purchase>/<version:version>/links/", Links.as_view(), name="api_links"),
    path("purchases/<uuid:purchase>/pro-forma/", ProFormas.as_view(), name="api_pro_forma"),
]
