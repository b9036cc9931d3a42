"""Whether everything that was agreed, signed, paid and delivered still says what it said."""
