"""Columns: a role and a kind for each."""
