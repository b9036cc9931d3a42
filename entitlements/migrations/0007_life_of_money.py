"""Refunds, disputes, held money, subscriptions and what a provider knows us by, as tables."""

import uuid

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0002_promises"),
        ("entitlements", "0006_newer_terms"),
        ("licensing", "0003_parties"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ProForma",
            fields=[
                ("number", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "months",
                    models.PositiveSmallIntegerField(
                        default=12, verbose_name="months of maintenance"
                    ),
                ),
                ("amount_minor", models.PositiveBigIntegerField()),
                ("currency", models.CharField(max_length=3)),
                (
                    "purchase_order",
                    models.CharField(
                        blank=True, max_length=80, verbose_name="purchase-order number"
                    ),
                ),
                ("billed_to", models.JSONField(verbose_name="the entity as named that day")),
                (
                    "issued_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "purchase",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pro_forma",
                        to="entitlements.purchase",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="DeskAction",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("actor_email", models.EmailField(max_length=254)),
                ("action", models.CharField(max_length=40)),
                (
                    "subject",
                    models.CharField(
                        db_index=True, max_length=120, verbose_name="what it was done to"
                    ),
                ),
                (
                    "why",
                    models.TextField(validators=[django.core.validators.MinLengthValidator(5)]),
                ),
                ("details", models.JSONField(default=dict)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "actor",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=django.db.models.lookups.GreaterThanOrEqual(
                            django.db.models.functions.text.Length("why"), 5
                        ),
                        name="entitlements_desk_says_why",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Dispute",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("provider", models.CharField(max_length=20)),
                (
                    "reference",
                    models.CharField(max_length=120, verbose_name="the provider's reference"),
                ),
                ("amount_minor", models.PositiveBigIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("warning", "inquiry, no money taken"),
                            ("open", "Open"),
                            ("won", "Won"),
                            ("lost", "Lost"),
                        ],
                        max_length=7,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=80)),
                ("opened_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("as_of", models.DateTimeField()),
                (
                    "charge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="disputes",
                        to="entitlements.payment",
                    ),
                ),
            ],
            options={
                "ordering": ["-opened_at"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("provider", "reference"),
                        name="entitlements_dispute_once_per_reference",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="HeldPayment",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("provider", models.CharField(max_length=20)),
                (
                    "reference",
                    models.CharField(max_length=120, verbose_name="the provider's reference"),
                ),
                ("amount_minor", models.BigIntegerField()),
                ("currency", models.CharField(max_length=3)),
                ("received_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("reason", models.TextField(verbose_name="why it opens nothing")),
                (
                    "recorded_by",
                    models.CharField(max_length=200, verbose_name="who or what recorded it"),
                ),
                (
                    "resolution",
                    models.CharField(
                        blank=True,
                        choices=[("", "held"), ("applied", "Applied"), ("returned", "sent back")],
                        max_length=8,
                    ),
                ),
                ("resolved_at", models.DateTimeField(blank=True, null=True)),
                ("resolved_by", models.CharField(blank=True, max_length=200)),
                (
                    "purchase",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="held_payments",
                        to="entitlements.purchase",
                    ),
                ),
            ],
            options={
                "ordering": ["-received_at"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("provider", "reference"),
                        name="entitlements_held_once_per_reference",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("resolution", ""), ("resolved_at__isnull", True)),
                            models.Q(
                                models.Q(("resolution", ""), _negated=True),
                                ("resolved_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="entitlements_held_resolved_says_when",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ProviderCustomer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("provider", models.CharField(max_length=20)),
                (
                    "reference",
                    models.CharField(max_length=120, verbose_name="the provider's reference"),
                ),
                (
                    "entity",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="customers",
                        to="licensing.licensedentity",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("entity", "provider"), name="entitlements_one_customer_per_entity"
                    ),
                    models.UniqueConstraint(
                        fields=("provider", "reference"), name="entitlements_customer_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ProviderPrice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("provider", models.CharField(max_length=20)),
                (
                    "term",
                    models.CharField(
                        choices=[("once", "one-time price"), ("month", "a month's maintenance")],
                        max_length=5,
                    ),
                ),
                ("currency", models.CharField(max_length=3)),
                ("amount_minor", models.PositiveBigIntegerField()),
                (
                    "product",
                    models.CharField(max_length=120, verbose_name="the provider's product"),
                ),
                (
                    "reference",
                    models.CharField(max_length=120, verbose_name="the provider's price"),
                ),
                ("active", models.BooleanField(default=True)),
                (
                    "package",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="provider_prices",
                        to="catalog.package",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("provider", "package", "term", "currency", "amount_minor"),
                        name="entitlements_one_price_per_amount",
                    ),
                    models.UniqueConstraint(
                        fields=("provider", "reference"), name="entitlements_price_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Refund",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("provider", models.CharField(max_length=20)),
                (
                    "reference",
                    models.CharField(
                        blank=True, max_length=120, verbose_name="the provider's reference"
                    ),
                ),
                ("amount_minor", models.PositiveBigIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("wanted", "not yet at the provider"),
                            ("pending", "Pending"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                            ("canceled", "Canceled"),
                        ],
                        default="wanted",
                        max_length=9,
                    ),
                ),
                ("why", models.TextField(blank=True)),
                ("requested_by", models.CharField(max_length=200)),
                ("requested_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "charge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="refunds",
                        to="entitlements.payment",
                    ),
                ),
            ],
            options={
                "ordering": ["-requested_at"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("reference", ""), _negated=True),
                        fields=("provider", "reference"),
                        name="entitlements_refund_once_per_reference",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("amount_minor__gt", 0)),
                        name="entitlements_refund_is_of_something",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("reference", ""), ("state", "succeeded"), _negated=True
                        ),
                        name="entitlements_refund_succeeded_at_a_provider",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Subscription",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("provider", models.CharField(max_length=20)),
                (
                    "reference",
                    models.CharField(max_length=120, verbose_name="the provider's reference"),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("active", "Active"),
                            ("past_due", "payment failed"),
                            ("canceled", "ended"),
                        ],
                        max_length=8,
                    ),
                ),
                ("cancel_at", models.DateTimeField(blank=True, null=True, verbose_name="ends at")),
                ("period_ends_at", models.DateTimeField(blank=True, null=True)),
                ("grace_until", models.DateTimeField(blank=True, null=True)),
                ("as_of", models.DateTimeField()),
                (
                    "purchase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="subscriptions",
                        to="entitlements.purchase",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("provider", "reference"), name="entitlements_subscription_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("grace_until__isnull", True), ("status", "past_due"), _connector="OR"
                        ),
                        name="entitlements_grace_is_for_failed_payments",
                    ),
                ],
            },
        ),
    ]
