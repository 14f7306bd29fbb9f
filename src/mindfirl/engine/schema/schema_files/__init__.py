"""Schema files: what the columns of all databases are, and how they are compared."""
