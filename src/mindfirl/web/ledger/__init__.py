"""Ledger: its entries, whether it is intact, receipts."""
