"""Upkeep: the installation, its health, backups."""
