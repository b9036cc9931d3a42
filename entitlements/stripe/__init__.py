"""Stripe as a provider: it only brings payments to the one door."""
