"""A local payment provider that speaks Stripe's API, for the demo and the tests.

It stands alone: no app imports it and it imports no app. See docs/sandbox.md for what it covers.
"""
