"""The states that things go through, and which may follow which."""

from __future__ import annotations

from typing import Final

JOB_STATES: Final[dict[str, frozenset[str]]] = {
    "waiting": frozenset({"running", "cancelled"}),
    "running": frozenset({"waiting", "done", "failed", "cancelled"}),
    "done": frozenset(),
    "failed": frozenset(),
    "cancelled": frozenset(),
}
ASSIGNMENT_STATES: Final[dict[str, frozenset[str]]] = {
    "open": frozenset({"paused", "submitted", "ended"}),
    "paused": frozenset({"open", "ended"}),
    "submitted": frozenset(),
    "ended": frozenset(),
}
DISPATCH_STATES: Final[dict[str, frozenset[str]]] = {
    "proposed": frozenset({"confirmed", "withdrawn"}),
    "confirmed": frozenset({"dispatched", "withdrawn"}),
    "dispatched": frozenset(),
    "withdrawn": frozenset(),
}
RELEASE_STATES: Final[dict[str, frozenset[str]]] = {
    "blocked": frozenset({"ready", "deleted"}),
    "ready": frozenset({"deleted"}),
    "deleted": frozenset(),
}
