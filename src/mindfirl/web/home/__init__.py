"""The first page, help, errors, health."""
