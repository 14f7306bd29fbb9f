"""Whether a project's ledger holds, and whether its tables are as the ledger tells."""
