"""Everything at rest: the tables of the database, and the vault, the only place of values."""
