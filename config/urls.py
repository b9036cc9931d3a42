from django.contrib import admin
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from config import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("", include("receipts.urls")),
    path("", include("entitlements.urls")),
    path("", include("licensing.urls")),
    path("", include("catalog.urls")),
    path("accounts/", include("allauth.urls")),
    path("api/v1/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/v1/", include("config.api")),
    path("staff/", admin.site.urls),
]
