"""The ledger: events, the chain, replay, receipts."""
