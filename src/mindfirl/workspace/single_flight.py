"""A small cache in which each value is made once, even if many threads ask for it at a time."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from contextlib import suppress
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class SingleFlightCache(Generic[T]):
    """At most ``size`` values, each with the source it was made from; the least recent goes first.

    A value whose source has changed is made again. Threads that ask for a key wait for the one
    that is making its value.
    """

    def __init__(self, *, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, tuple[tuple[object, ...], T]] = OrderedDict()
        self._making: defaultdict[Hashable, Lock] = defaultdict(Lock)

    def get(self, key: Hashable, source: tuple[object, ...], make: Callable[[], T]) -> T:
        with self._making[key]:
            cached = self._values.pop(key, None)
            value = cached[1] if cached and cached[0] == source else make()
            self._values[key] = (source, value)
        while len(self._values) > self._size:
            with suppress(KeyError):  # another thread was first
                self._values.popitem(last=False)
        return value

    def forget(self, key: Hashable) -> None:
        with self._making[key]:
            self._values.pop(key, None)
