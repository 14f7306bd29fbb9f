"""What a process has opened or counted and will be asked for again: a few things, one a project."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar
from uuid import UUID

T = TypeVar("T")


class AtHand(Generic[T]):
    """A few things, known by project; one that was made from something else is let go.

    The one that was not asked for longest goes first.
    """

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._held: OrderedDict[UUID, tuple[tuple[object, ...], T]] = OrderedDict()
        self._changing = Lock()

    def get(self, project: UUID, source: tuple[object, ...], make: Callable[[], T]) -> T:
        """Return what was made from this, or make it now."""
        with self._changing:
            held = self._held.get(project)
        found = held[1] if held and held[0] == source else make()
        with self._changing:
            self._held[project] = (source, found)
            self._held.move_to_end(project)
            while len(self._held) > self._most:
                self._held.popitem(last=False)
        return found
