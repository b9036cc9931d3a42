"""What this room tells the rooms that may import it. Sent inside the transaction of the change."""

from django.dispatch import Signal

receipt_issued = Signal()  # version: PackageVersion, published or signed anew
