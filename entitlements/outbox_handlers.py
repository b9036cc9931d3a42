"""What the outbox does, by kind. Each may run twice."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, send_mail
from django.dispatch import receiver
from django.template.loader import render_to_string

from entitlements.models import Hold, Purchase, Refund
from entitlements.outbox import enqueue, handles
from entitlements.refunds import track_refund
from entitlements.stripe.client import PROVIDER
from entitlements.stripe.ending import (
    end_subscription,
    end_subscription_of_duplicate,
    end_subscriptions,
)
from entitlements.stripe.refunding import refund_charge
from licensing.agreements import agreement_name, agreement_pdf
from licensing.models import LicenceSignature
from licensing.signals import licence_signed


@handles("purchase_completed")
def mail_buyer(payload: dict[str, Any]) -> None:
    """Tell the buyer that the kit is theirs, and where it is."""
    purchase = Purchase.objects.select_related("buyer", "entity", "package", "version").get(
        pk=payload["purchase"]
    )
    if purchase.buyer is None:
        return
    send_mail(
        subject=f"Your kit {purchase.version.kit_name} is ready",
        message=render_to_string(
            "entitlements/mail/purchase_completed.txt",
            {"purchase": purchase, "site_url": settings.SITE_URL},
        ),
        from_email=None,
        recipient_list=[purchase.buyer.email],
    )


@receiver(licence_signed)
def _tell_signer(signature: LicenceSignature, **_: object) -> None:
    enqueue("licence_signed", {"signature": str(signature.pk)})


@handles("licence_signed")
def mail_signer(payload: dict[str, Any]) -> None:
    """Hand the signer the executed agreement, as it was signed."""
    signature = LicenceSignature.objects.select_related(
        "terms", "package", "countersigned__receipt"
    ).get(pk=payload["signature"])
    mail = EmailMessage(
        subject=f"Your signed licence for {signature.entity_legal_name}",
        body=render_to_string(
            "entitlements/mail/licence_signed.txt",
            {"signature": signature, "site_url": settings.SITE_URL},
        ),
        to=[signature.account_email],
    )
    mail.attach(agreement_name(signature), agreement_pdf(signature), "application/pdf")
    envelope = bytes(signature.countersigned.receipt.envelope)
    mail.attach("licence-receipt.json", envelope, "application/json")
    mail.send()


@handles("refund")
def send_refund(payload: dict[str, Any]) -> None:
    """Take a refund to its provider. What a bank brought, finance sends back by hand."""
    wish = Refund.objects.select_related("charge").get(pk=payload["refund"])
    if wish.provider != PROVIDER or wish.state != Refund.State.WANTED:
        return
    # First, so that a failure in between bills nobody again: what was paid twice began twice.
    end_subscription_of_duplicate(wish.charge)
    reference, state = refund_charge(refund=wish)
    track_refund(
        charge=wish.charge,
        provider=wish.provider,
        reference=reference,
        amount_minor=wish.amount_minor,
        state=state,
        recorded_by="outbox: refund",
        wish=wish,
    )


@handles("end_subscriptions")
def stop_billing(payload: dict[str, Any]) -> None:
    """Cancel what would go on billing a purchase that is closed for good."""
    hold = Hold.objects.select_related("entitlement__purchase").get(pk=payload["hold"])
    if hold.released_at is None:
        end_subscriptions(hold.entitlement.purchase)


@handles("first_payment_failed")
def mail_first_failure(payload: dict[str, Any]) -> None:
    """End what a delayed payment had begun that failed, and tell the buyer."""
    if payload["subscription"]:
        end_subscription(payload["subscription"])
    purchase = Purchase.objects.select_related("buyer", "entity", "package").get(
        pk=payload["purchase"]
    )
    if purchase.buyer is None or purchase.state == Purchase.State.PAID:
        return
    send_mail(
        subject=f"The payment of {purchase.package.slug} failed",
        message=render_to_string(
            "entitlements/mail/first_payment_failed.txt",
            {"purchase": purchase, "site_url": settings.SITE_URL},
        ),
        from_email=None,
        recipient_list=[purchase.buyer.email],
    )
