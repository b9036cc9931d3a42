"""What this room tells the rooms that may import it. Sent inside the transaction of the change."""

from django.dispatch import Signal

licence_signed = Signal()  # signature: LicenceSignature, countersigned
account_deleting = Signal()  # account: User; addresses: its e-mail addresses in lower case
