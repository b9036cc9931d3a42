from celery import shared_task

from entitlements.forgetting import forget_old
from entitlements.inbox import retry_waiting
from entitlements.outbox import run_due
from entitlements.reconciling import sweep as compare_and_repair


@shared_task  # type: ignore[untyped-decorator]  # Celery is untyped
def run_outbox() -> None:
    """Do what is due in the outbox."""
    run_due()


@shared_task  # type: ignore[untyped-decorator]  # Celery is untyped
def retry_events() -> None:
    """Try again the events that came before their purchase."""
    retry_waiting()


@shared_task  # type: ignore[untyped-decorator]  # Celery is untyped
def forget() -> None:
    """Delete old rows that are no evidence."""
    forget_old()


@shared_task  # type: ignore[untyped-decorator]  # Celery is untyped
def sweep() -> None:
    """Compare Stripe with the ledger and repair what can be."""
    compare_and_repair()
