"""Pro-forma invoices for programs: what an accounts system needs to pay by transfer."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from entitlements.account import may_pay, purchases_of
from entitlements.api import caller_of
from entitlements.models import ProForma, Purchase
from entitlements.pro_forma import ProFormaRefused, issue_pro_forma
from entitlements.seller import seller
from entitlements.views.transfers import ENGINEERS, LONGEST_ORDER


class Refused(APIException):
    """The purchase is in no state for an invoice."""

    status_code = status.HTTP_409_CONFLICT


class OrderSerializer(serializers.Serializer[Any]):
    """What the buyer may have on the invoice."""

    purchase_order = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=LONGEST_ORDER,
        help_text="the buyer's own order number; without it, the purchase's",
    )


class AccountSerializer(serializers.Serializer[Any]):
    """The account that takes the transfer."""

    holder = serializers.CharField()
    bank = serializers.CharField(allow_blank=True)
    account = serializers.CharField()
    bic = serializers.CharField(allow_blank=True)


class BilledToSerializer(serializers.Serializer[Any]):
    """The licensed entity as it was named when the invoice was issued."""

    legal_name = serializers.CharField()
    registration_number = serializers.CharField(allow_blank=True)
    country = serializers.CharField(help_text="ISO 3166-1 alpha-2")
    address = serializers.CharField()
    tax_number = serializers.CharField(allow_blank=True)


class ProFormaSerializer(serializers.Serializer[Any]):
    """A pro-forma invoice: what one transfer must bring, and where to."""

    reference = serializers.CharField(help_text="to be quoted exactly")
    purchase = serializers.UUIDField()
    amount_minor = serializers.IntegerField(help_text="in minor units of the currency")
    currency = serializers.CharField()
    months = serializers.IntegerField(help_text="of maintenance, with the price")
    purchase_order = serializers.CharField(allow_blank=True)
    billed_to = BilledToSerializer()
    pay_to = AccountSerializer(allow_null=True)
    issued_at = serializers.DateTimeField()
    pdf = serializers.URLField()


class ProFormas(APIView):
    """The pro-forma invoice of an unpaid purchase, for who may pay it."""

    @extend_schema(responses=ProFormaSerializer, operation_id="pro_forma_retrieve")
    def get(self, request: Request, purchase: UUID) -> Response:
        found = _purchase(request, purchase)
        paper = get_object_or_404(ProForma, purchase=found)
        _require_may_pay(request, found)
        return Response(_told(paper))

    @extend_schema(
        request=OrderSerializer,
        responses={201: ProFormaSerializer, 200: ProFormaSerializer},
        operation_id="pro_forma_create",
    )
    def post(self, request: Request, purchase: UUID) -> Response:
        found = _purchase(request, purchase)
        _require_may_pay(request, found)
        asked = OrderSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        known = ProForma.objects.filter(purchase=found).exists()
        try:
            paper = issue_pro_forma(
                purchase=found, purchase_order=asked.validated_data.get("purchase_order", "")
            )
        except ProFormaRefused as refusal:
            raise Refused(str(refusal)) from refusal
        made = status.HTTP_200_OK if known else status.HTTP_201_CREATED
        return Response(_told(paper), status=made)


def _purchase(request: Request, pk: UUID) -> Purchase:
    return get_object_or_404(purchases_of(caller_of(request)), pk=pk)


def _require_may_pay(request: Request, purchase: Purchase) -> None:
    if not may_pay(caller_of(request), purchase):
        raise PermissionDenied(ENGINEERS)


def _told(paper: ProForma) -> dict[str, Any]:
    by = seller()
    return {
        "reference": paper.name,
        "purchase": paper.purchase_id,
        "amount_minor": paper.amount_minor,
        "currency": paper.currency,
        "months": paper.months,
        "purchase_order": paper.purchase_order,
        "billed_to": paper.billed_to,
        "pay_to": by
        and {"holder": by.name, "bank": by.bank, "account": by.account, "bic": by.code},
        "issued_at": paper.issued_at,
        "pdf": settings.SITE_URL + reverse("entitlements:pro_forma_pdf", args=[paper.purchase_id]),
    }
