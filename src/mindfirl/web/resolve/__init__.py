"""Resolve: conflicts and contradictions, and who settles them."""
