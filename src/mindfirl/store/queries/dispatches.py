"""Dispatches that wait to be confirmed or done."""

from __future__ import annotations

from typing import Final, Literal

from mindfirl.core.policy import DISPATCH_STATES
from mindfirl.store.models import Dispatch, Project

WAITING: Final = tuple(state for state, after in DISPATCH_STATES.items() if after)
"""The states of a dispatch that is neither done nor withdrawn."""


def waiting_dispatch(project: Project, kind: Literal["review", "adjudication"]) -> Dispatch | None:
    found = project.dispatches.filter(kind=kind, state__in=WAITING)
    return found.select_related("proposed_by", "project").first()
