"""What a process has opened and will be asked for again: a few things, one a project."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar
from uuid import UUID

T = TypeVar("T")


class AtHand(Generic[T]):
    """A few opened things, known by project; one that was made from other files is let go.

    The one that was not asked for longest goes first. Threads wait while one of them opens.
    """

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._held: OrderedDict[UUID, tuple[tuple[int, ...], T]] = OrderedDict()
        self._opening = Lock()

    def get(self, project: UUID, files: tuple[int, ...], make: Callable[[], T]) -> T:
        """Return what was made from these files, or make it now."""
        with self._opening:
            held = self._held.pop(project, None)
            found = held[1] if held and held[0] == files else make()
            self._held[project] = (files, found)
            while len(self._held) > self._most:
                self._held.popitem(last=False)
            return found
