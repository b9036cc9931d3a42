"""The buyer's side of Touchstone: checks receipts, kits and weights without the store."""

__version__ = "0.1.0"
