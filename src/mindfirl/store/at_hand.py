"""What a process has opened or counted and will be asked for again: a few things, one a project."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Generic, TypeVar
from uuid import UUID

T = TypeVar("T")


class AtHand(Generic[T]):
    """A few things, known by project; one that was made from something else is let go.

    The one that was not asked for longest goes first. What one thread makes for a project, others
    wait for.
    """

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._held: OrderedDict[UUID, tuple[tuple[object, ...], T]] = OrderedDict()
        self._making: defaultdict[UUID, Lock] = defaultdict(Lock)

    def get(self, project: UUID, source: tuple[object, ...], make: Callable[[], T]) -> T:
        """Return what was made from this, or make it now."""
        with self._making[project]:
            held = self._held.pop(project, None)
            found = held[1] if held and held[0] == source else make()
            self._held[project] = (source, found)
        while len(self._held) > self._most:
            with suppress(KeyError):  # another thread was first
                self._held.popitem(last=False)
        return found
