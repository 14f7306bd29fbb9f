"""The first page, errors, health."""
