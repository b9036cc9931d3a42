"""Stripe compared with our rows, both ways."""
