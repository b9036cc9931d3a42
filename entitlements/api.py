from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.models import PackageVersion
from entitlements.account import OpenVersion, purchases_of, versions_of
from entitlements.links import LinkRefused, issue_link
from entitlements.models import Purchase
from licensing.access import entities_of
from licensing.models import User


class KitSerializer(serializers.Serializer[Any]):
    """A version that a purchase opens, or why it is closed."""

    purchase = serializers.UUIDField()
    entity = serializers.CharField(help_text="its legal name")
    entity_id = serializers.UUIDField()
    package = serializers.SlugField()
    version = serializers.CharField()
    kit_sha256 = serializers.CharField()
    kit_bytes = serializers.IntegerField()
    open = serializers.BooleanField()
    closed_because = serializers.CharField(allow_blank=True)
    sign_terms_at = serializers.CharField(
        allow_blank=True, help_text="where a person signs the newer terms that it waits for"
    )


class KitsQuery(serializers.Serializer[Any]):
    """Which of the caller's entities to list for."""

    entity = serializers.UUIDField(
        required=False, help_text="One entity of the caller's; without it, all of them."
    )


class LinkSerializer(serializers.Serializer[Any]):
    """A download link and how long it lives."""

    url = serializers.URLField()
    expires_in = serializers.IntegerField(help_text="seconds")


class Kits(APIView):
    """The kits of the entities that the caller is a member of, or of one of them."""

    @extend_schema(
        parameters=[KitsQuery], responses=KitSerializer(many=True), operation_id="kits_list"
    )
    def get(self, request: Request) -> Response:
        caller = caller_of(request)
        query = KitsQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        purchases = purchases_of(caller).filter(state=Purchase.State.PAID)
        if entity := query.validated_data.get("entity"):
            purchases = purchases.filter(entity=get_object_or_404(entities_of(caller), pk=entity))
        paid = list(purchases)
        found = zip(paid, versions_of(paid), strict=True)
        return Response([_kit(purchase, each) for purchase, open_ in found for each in open_])


class Links(APIView):
    """Download links for one version of a purchase."""

    @extend_schema(request=None, responses={201: LinkSerializer}, operation_id="links_create")
    def post(self, request: Request, purchase: UUID, version: str) -> Response:
        caller = caller_of(request)
        paid = purchases_of(caller).filter(state=Purchase.State.PAID)
        bought = get_object_or_404(paid, pk=purchase)
        wanted = get_object_or_404(PackageVersion, package_id=bought.package_id, version=version)
        try:
            token = issue_link(entitlement=bought.entitlement, version=wanted, member=caller)
        except LinkRefused as refusal:
            raise PermissionDenied(str(refusal)) from refusal
        url = settings.SITE_URL + reverse("entitlements:download", args=[token])
        body = {"url": url, "expires_in": settings.DOWNLOAD_LINK_SECONDS}
        return Response(body, status=status.HTTP_201_CREATED)


def caller_of(request: Request) -> User:
    """The account behind a request."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


def _kit(purchase: Purchase, each: OpenVersion) -> dict[str, Any]:
    return {
        "purchase": purchase.pk,
        "entity": purchase.entity.legal_name,
        "entity_id": purchase.entity_id,
        "package": purchase.package.slug,
        "version": each.version.version,
        "kit_sha256": each.version.kit_id,
        "kit_bytes": each.version.kit.size if each.version.kit else 0,
        "open": not each.closed_because,
        "closed_because": each.closed_because,
        "sign_terms_at": _sign_at(purchase) if each.waits_for_terms else "",
    }


def _sign_at(purchase: Purchase) -> str:
    page = reverse("licensing:licence", args=[purchase.package.slug])
    return f"{settings.SITE_URL}{page}?purchase={purchase.pk}"
