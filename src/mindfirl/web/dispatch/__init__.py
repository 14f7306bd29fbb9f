"""Dispatch: a plan confirmed, and assignments under way."""
