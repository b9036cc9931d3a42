from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView

from catalog.import_views import import_benchmark
from config import health
from entitlements.desk import views as desk
from licensing.desk import publish_terms_page

handler400 = "config.errors.bad_request"
handler500 = "config.errors.server_error"
urlpatterns = [
    # Asked for by every browser, whatever the page says.
    path("favicon.ico", RedirectView.as_view(url=f"{settings.STATIC_URL}mark.svg")),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("", include("receipts.urls")),
    path("", include("entitlements.urls")),
    path("", include("licensing.urls")),
    path("", include("catalog.urls")),
    path("accounts/", include("allauth.urls")),
    path("api/v1/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/v1/", include("config.api")),
    # Before the admin's own addresses, which answer for everything below /staff/.
    path("staff/import/", admin.site.admin_view(import_benchmark), name="import_benchmark"),
    path("staff/terms/", admin.site.admin_view(publish_terms_page), name="publish_terms"),
    path("staff/finance/", admin.site.admin_view(desk.overview), name="finance"),
    path(
        "staff/finance/differences/",
        admin.site.admin_view(desk.differences_page),
        name="finance_differences",
    ),
    path(
        "staff/finance/do/<slug:action>/<str:pk>/",
        admin.site.admin_view(desk.action_page),
        name="finance_action",
    ),
    path("staff/finance/<slug:name>/", admin.site.admin_view(desk.list_page), name="finance_list"),
    path("staff/", admin.site.urls),
]
