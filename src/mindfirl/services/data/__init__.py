"""Data: files uploaded, databases imported, identities and sensitive values apart."""
