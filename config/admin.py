"""The staff's site. One door in: the store's own sign-in, which counts attempts."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin

admin.site.site_header = "Touchstone staff"
admin.site.site_title = "Touchstone staff"
admin.site.index_title = "What was published, agreed, paid and delivered"
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # as allauth documents
