"""Commands for administrators: the installation, its server, its people, backups."""
