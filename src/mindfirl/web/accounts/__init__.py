"""Accounts: signing in, passwords, second factors, shortcuts."""
