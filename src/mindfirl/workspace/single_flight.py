"""What a process has opened or counted and will be asked for again: a few things, one a key."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from contextlib import suppress
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class AtHand(Generic[T]):
    """A few things, each known by a key; one that was made from something else is let go.

    The one that was not asked for longest goes first. What one thread makes for a key, others wait
    for.
    """

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._held: OrderedDict[Hashable, tuple[tuple[object, ...], T]] = OrderedDict()
        self._making: defaultdict[Hashable, Lock] = defaultdict(Lock)

    def get(self, key: Hashable, source: tuple[object, ...], make: Callable[[], T]) -> T:
        """Return what was made from this, or make it now."""
        with self._making[key]:
            held = self._held.pop(key, None)
            found = held[1] if held and held[0] == source else make()
            self._held[key] = (source, found)
        while len(self._held) > self._most:
            with suppress(KeyError):  # another thread was first
                self._held.popitem(last=False)
        return found

    def let_go(self, key: Hashable) -> None:
        """Hold a thing no longer."""
        with self._making[key]:
            self._held.pop(key, None)
