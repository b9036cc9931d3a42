"""The desk for finance: money to look at, and actions that ask why and are logged."""
