"""Identities and sensitive values apart: cleaned, coarsened, indexed."""
