from django.urls import path

import catalog.converters  # noqa: F401 -- registers <version:...>
from licensing import deletion_views, invitation_views, party_views, terms_pages, views

app_name = "licensing"
ENTITY = "account/entities/<uuid:entity>/"
MEMBER = f"{ENTITY}members/<int:member>/"
urlpatterns = [
    path("packages/<slug:slug>/licence/", views.licence, name="licence"),
    path("licences/<slug:family>-<version:version>.txt", terms_pages.terms_text, name="terms_text"),
    path("licences/<slug:family>/<version:version>/", terms_pages.terms_page, name="terms"),
    path(
        "licences/<slug:family>/<version:version>/changes/",
        terms_pages.terms_changes,
        name="terms_changes",
    ),
    path("account/signatures/<uuid:pk>/", views.signature, name="signature"),
    path("account/signatures/<uuid:pk>/agreement.pdf", views.agreement, name="agreement"),
    path(
        "account/signatures/<uuid:pk>/licence-receipt.json",
        views.licence_receipt,
        name="licence_receipt",
    ),
    path("account/delete/", deletion_views.delete, name="delete_account"),
    path("account/invitations/<str:token>/", invitation_views.invitation, name="invitation"),
    path(ENTITY, party_views.entity, name="entity"),
    path(f"{ENTITY}act/", party_views.act, name="act"),
    path(f"{ENTITY}edit/", party_views.edit, name="edit"),
    path(f"{ENTITY}invite/", party_views.invite, name="invite"),
    path(f"{ENTITY}invited/<int:invitation>/revoke/", party_views.revoke, name="revoke"),
    path(f"{ENTITY}leave/", party_views.leave, name="leave"),
    path(f"{MEMBER}role/", party_views.role, name="role"),
    path(f"{MEMBER}remove/", party_views.remove, name="remove"),
    path(f"{MEMBER}transfer/", party_views.transfer, name="transfer"),
]
