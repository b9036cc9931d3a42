"""Completions of purchases, beside the same SQL sent by pgbench to the same database."""
