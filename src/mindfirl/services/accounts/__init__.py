"""Accounts: invitations, passwords, second factors, signing in."""
