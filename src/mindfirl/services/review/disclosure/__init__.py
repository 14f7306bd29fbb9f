"""Openings: the only place where values become characters for a person.

A pair is shown as far as the ledger says that it is open, and no further. An opening is one
transaction: the project's ledger is locked, the pair's state is read, ``core.review.opening``
decides, the entry is appended; only when that is safe on the disk are the characters drawn.
"""
