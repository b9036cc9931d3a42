from django.urls import path

import catalog.converters  # noqa: F401 -- registers <version:...>
from entitlements.stripe.webhook import stripe_webhook
from entitlements.views import account, buying, downloads, evidence, maintaining, transfers

app_name = "entitlements"
urlpatterns = [
    path("packages/<slug:slug>/buy/", buying.buy, name="buy"),
    path("account/", account.account, name="account"),
    path("account/purchases/<uuid:pk>/", account.purchase, name="purchase"),
    path("account/purchases/<uuid:pk>/pay/", buying.pay, name="pay"),
    path("account/purchases/<uuid:pk>/pro-forma/", transfers.pro_forma, name="pro_forma"),
    path(
        "account/purchases/<uuid:pk>/pro-forma.pdf",
        transfers.pro_forma_paper,
        name="pro_forma_pdf",
    ),
    path("account/purchases/<uuid:pk>/terms/", account.agree, name="agree"),
    path("account/purchases/<uuid:pk>/portal/", maintaining.portal, name="portal"),
    path("account/purchases/<uuid:pk>/renew/", maintaining.resubscribe, name="resubscribe"),
    path("account/purchases/<uuid:pk>/return/", buying.returned, name="returned"),
    path("account/purchases/<uuid:pk>/evidence.tar.gz", evidence.evidence, name="evidence"),
    path("account/purchases/<uuid:pk>/<version:version>/link/", account.link, name="link"),
    path(
        "account/purchases/<uuid:pk>/<version:version>/buyer-receipt.json",
        account.buyer_receipt,
        name="buyer_receipt",
    ),
    path("download/<str:token>", downloads.download, name="download"),
    path("webhooks/stripe/", stripe_webhook, name="stripe_webhook"),
]
