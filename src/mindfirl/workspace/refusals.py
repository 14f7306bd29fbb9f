"""Dispatches that are refused because of their own pairs: that says a little of what these cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mindfirl.core.errors import FieldErrors
from mindfirl.core.ledger.project_events import DispatchRefused
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Dispatch
from mindfirl.workspace.commits import commit


class PairsRefused(FieldErrors):
    """Pairs exceed budgets, or the limit for all; ``sufficient`` is what was told to suffice."""

    def __init__(self, fields: dict[str, str], sufficient: int, exceeded: str) -> None:
        super().__init__(fields)
        self.sufficient = sufficient
        self.exceeded = exceeded


@contextmanager
def refusal_recorded(dispatch: Dispatch, actor: str) -> Iterator[None]:
    """Enter in the ledger what given pairs exceed, and what was said to suffice."""
    try:
        yield
    except PairsRefused as refused:
        told = DispatchRefused(dispatch.number, refused.sufficient, refused.exceeded)
        with commit(ledger=dispatch.project):
            append(dispatch.project, actor=actor, events=[told])
        raise
