"""Schemas: what columns hold, proposed, chosen, read and written."""
