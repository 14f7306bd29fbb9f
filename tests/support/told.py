"""What the ledger says is open, read line by line from its text: for tests of what was shown."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.alphabet import ATTRIBUTES, Shown, World, code_points

Given = Mapping[int, tuple[str, int, int]]
"""The pairs of an assignment by their numbers: token, and the positions of two records."""


@dataclass
class Told:
    """All assignments as the ledger tells of them, and what is open in them for whom."""

    world: World
    pairs_of: Callable[[str], Given]
    entries: int = 0
    levels: dict[str, dict[str, str]] = field(default_factory=dict)
    """The level of every cell of a pair, by its token."""
    pairs: dict[str, tuple[str, int, int, str]] = field(default_factory=dict)
    """By token: the assignment, two positions, and how exchanged dates are shown."""
    people: dict[str, str] = field(default_factory=dict)
    """Whose each assignment is."""
    open_to: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The code points that each person may have received."""
    happened: Counter[str] = field(default_factory=Counter)
    """How often each kind of thing is told of; refusals by their reason."""
    _tokens: dict[tuple[str, int], str] = field(default_factory=dict)
    _drawn: dict[str, list[Shown]] = field(default_factory=dict)

    def hear(self, lines: Iterable[str]) -> None:
        """Go on with lines of the ledger that are new."""
        for line in lines:
            event: dict[str, Any] = json.loads(line.partition(" ")[2])["event"]
            self.entries += 1
            self.happened[": ".join(filter(None, (event["kind"], _refusal(event))))] += 1
            if event["kind"] == "dispatched":
                self._dispatched(event)
            elif event["kind"] == "opened":
                token = self._tokens[event["assignment"], event["pair"]]
                self.levels[token].update(dict.fromkeys(event["cells"], event["level"]))
                self._redraw(token)

    def shown(self, token: str) -> list[Shown]:
        """Say what is open of each cell of a pair."""
        return self._drawn[token]

    def owner(self, token: str) -> str:
        """Say whose pair it is."""
        return self.people[self.pairs[token][0]]

    def _dispatched(self, event: dict[str, Any]) -> None:
        name = event["assignment"]
        self.people[name] = event["person"]
        date_swap = dict(event["settings"])["date_swaps"]
        masked = dict.fromkeys(ATTRIBUTES, "masked")
        for number, (token, left, right) in self.pairs_of(name).items():
            self._tokens[name, number] = token
            self.pairs[token] = (name, left, right, date_swap)
            self.levels[token] = masked | dict(event["starting"])
        for number, cell, level in event["lower"]:
            self.levels[self._tokens[name, number]][cell] = level
        for number in range(1, event["pairs"] + 1):
            self._redraw(self._tokens[name, number])

    def _redraw(self, token: str) -> None:
        _name, left, right, date_swap = self.pairs[token]
        shown = self.world.shown(left, right, self.levels[token], date_swap)
        self._drawn[token] = shown
        seen = "".join(each or "" for cell in shown for row in cell for each in row)
        self.open_to[self.owner(token)].update(code_points(seen))


def _refusal(event: dict[str, Any]) -> str:
    return str(event["reason"]) if event["kind"] == "refused" else ""
