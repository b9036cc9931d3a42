"""The staff's site. One door in: the store's own sign-in, which counts attempts."""

import allauth.mfa.admin  # noqa: F401 -- registers what is taken away below
from allauth.account.decorators import secure_admin_login
from allauth.mfa.models import Authenticator
from django.contrib import admin

admin.site.site_header = "Touchstone staff"
admin.site.site_title = "Touchstone staff"
admin.site.index_title = "What was published, agreed, paid and delivered"
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # as allauth documents
# Its stock form would let staff read and replace the secrets of other people's second factors.
admin.site.unregister(Authenticator)
