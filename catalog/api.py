from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.cards import as_json, card_of
from catalog.models import PackageVersion


class FigureSerializer(serializers.Serializer[Any]):
    """One measured figure of a card."""

    label = serializers.CharField()  # type: ignore[assignment]  # the word of the card, not DRF's
    value = serializers.FloatField()
    unit = serializers.CharField()
    point = serializers.CharField()
    remarks = serializers.ListField(
        child=serializers.CharField(), help_text="what the claim checks found of this figure"
    )
    supported = serializers.BooleanField(help_text="false: the sample is too small for it")


class CardSerializer(serializers.Serializer[Any]):
    """The live card: bytes, minor units of money, SHA-256 in hex."""

    slug = serializers.SlugField()
    title = serializers.CharField()
    version = serializers.CharField()
    tier = serializers.CharField()
    released = serializers.DateField()
    summary = serializers.CharField()
    model = serializers.CharField()
    hardware = serializers.CharField()
    engine = serializers.CharField()
    kit_name = serializers.CharField()
    kit_bytes = serializers.IntegerField()
    kit_sha256 = serializers.CharField()
    weight_sha256 = serializers.CharField()
    currency = serializers.CharField()
    price_minor = serializers.IntegerField()
    maintenance_minor = serializers.IntegerField()
    figures = FigureSerializer(many=True)
    stand_ins = serializers.ListField(child=serializers.CharField())
    signed = serializers.BooleanField()
    key_id = serializers.CharField()
    receipt_sha256 = serializers.CharField()
    package_url = serializers.URLField()
    receipt_url = serializers.URLField()
    receipt_page_url = serializers.URLField()


class Packages(APIView):
    """What is on sale."""

    permission_classes = (AllowAny,)

    @extend_schema(responses=CardSerializer(many=True), operation_id="packages_list")
    def get(self, request: Request) -> Response:
        newest: dict[int, PackageVersion] = {}
        for version in PackageVersion.on_sale():
            newest.setdefault(version.package_id, version)
        return Response([as_json(card_of(version)) for version in newest.values()])


class PackageCard(APIView):
    """The newest version of one package."""

    permission_classes = (AllowAny,)

    @extend_schema(responses=CardSerializer, operation_id="packages_retrieve")
    def get(self, request: Request, slug: str) -> Response:
        version = PackageVersion.on_sale().filter(package__slug=slug).first()
        if version is None:
            raise Http404("No such package is on sale.")
        return Response(as_json(card_of(version)))
