"""Transactions of those who write while others wait: on SQLite they queue, elsewhere rows lock.

SQLite lets one write at a time, and whoever finds it busy looks again and again. Here they wait in
line for a file instead, whatever process they are in.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import Lock
from typing import Final

from django.db import connection, transaction

from mindfirl.store.disk.locks import in_turn

_THREADS: Final = Lock()


@contextmanager
def writing() -> Iterator[None]:
    """Write in one transaction, which is safe on the disk when this ends."""
    alone = connection.vendor == "sqlite"
    with _THREADS if alone else nullcontext(), in_turn("writers") if alone else nullcontext():  # noqa: SIM117  # in this order
        with transaction.atomic(durable=not connection.in_atomic_block):
            yield
