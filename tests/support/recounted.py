"""What a report should say: from the text of the ledger, by plain scans of all records."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from mindfirl.core.values.schema import LEVELS
from mindfirl.store.models import Assignment, LedgerLine, Project
from mindfirl.workspace.open_version import population_of
from tests.support.naive import Row, World, shares, shown
from tests.support.naive_compare import compare_records


@dataclass(frozen=True)
class Seen:
    """A row that somebody has."""

    person: str
    record: int
    kappa: int
    world: World
    row: Row

    def k(self, rule: Any) -> int:
        return self.world.k(self.row, rule)

    @property
    def places(self) -> set[tuple[int, int]]:
        return {
            (place, at) for place in range(len(self.row.cells)) for at in shown(self.row, place)
        }


@dataclass
class Recounted:
    """All rows of all people, and what was told beside them."""

    rows: list[Seen] = field(default_factory=list)
    places: Counter[str] = field(default_factory=Counter)
    """The rows of each person, times their attributes."""
    characters: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    by_hour: Counter[str] = field(default_factory=Counter)
    charged: Counter[str] = field(default_factory=Counter)

    def score(self, rule: str, people: Iterable[str]) -> Fraction:
        """K of some people: published, strict, or over records."""
        those = set(people)
        rows = [each for each in self.rows if each.person in those]
        total = Fraction(0)
        for each in rows:
            if rule == "union":
                k, share = self.union(each.record, those)
            else:
                k, share = each.k(rule), sum(shares(each.row), Fraction(0))
            total += each.kappa * share / max(k, each.kappa)
        return total / sum(self.places[each] for each in those)

    def union(self, record: int, people: set[str]) -> tuple[int, Fraction]:
        """K and the share shown of a record over all its rows."""
        rows = [each for each in self.rows if each.record == record and each.person in people]
        fits = set.intersection(*(each.world.possible(each.row, "paper") for each in rows))
        places = set[tuple[int, int]]().union(*(each.places for each in rows))
        record_itself = rows[0].row.record
        share = sum((Fraction(1, len(record_itself[place])) for place, _ in places), Fraction(0))
        return len(fits), share

    def reidentifications(self, people: set[str]) -> tuple[int, Fraction]:
        """Of how many records a character was shown, and how many one expects to find."""
        records = {each.record for each in self.rows if each.person in people and each.places}
        return len(records), sum(
            (Fraction(1, self.union(record, people)[0]) for record in records), Fraction(0)
        )


def recounted(project: Project) -> Recounted:
    """Count again, entry by entry."""
    found, levels = Recounted(), dict[tuple[str, int], dict[str, str]]()
    held = {str(each.pk): each for each in project.assignments.all()}
    worlds = {name: _world(each) for name, each in held.items()}
    for line in LedgerLine.objects.filter(project=project).order_by("number"):
        entry = json.loads(line.line[65:])
        event, hour = entry["event"], entry["at"][:13]
        if event["kind"] == "dispatched":
            name = event["assignment"]
            size = 2 * event["pairs"] * len(event["attributes"])
            found.places[event["person"]] += size
            found.charged[event["person"]] += event["charge"] * event["kappa"]
            for pair in held[name].pairs.all():
                state = dict.fromkeys(event["attributes"], "masked") | dict(event["starting"])
                state |= {cell: low for place, cell, low in event["lower"] if place == pair.number}
                levels[name, pair.number] = state
                found.by_hour[hour] += _characters(worlds[name], held[name], pair.number, state)
        elif event["kind"] == "opened":
            mine, state = held[event["assignment"]], levels[event["assignment"], event["pair"]]
            world = worlds[event["assignment"]]
            before = _characters(world, mine, event["pair"], state)
            state.update(dict.fromkeys(event["cells"], event["level"]))
            found.by_hour[hour] += _characters(world, mine, event["pair"], state) - before
            found.charged[str(mine.account_id)] += event["charge"] * mine.terms.kappa
    for (name, number), state in levels.items():
        _note(found, worlds[name], held[name], number, state)
    return found


def _world(mine: Assignment) -> World:
    index = population_of(mine)
    records = [[value.reveal() for value in index.record(at)] for at in range(index.size)]
    return World(index.schema, records)


def _rows(
    world: World, mine: Assignment, number: int, state: dict[str, str]
) -> list[tuple[int, Row]]:
    pair = mine.pairs.get(number=number)
    records = (pair.left, pair.right)
    cells = compare_records(world.schema, *(world.records[at] for at in records))
    levels = [LEVELS.index(state[name]) for name in world.schema.names]
    return [(at, Row(world.records[at], cells, levels, side)) for side, at in enumerate(records)]


def _characters(world: World, mine: Assignment, number: int, state: dict[str, str]) -> int:
    return sum(
        len(shown(row, place))
        for _, row in _rows(world, mine, number, state)
        for place in range(len(row.cells))
    )


def _note(
    found: Recounted, world: World, mine: Assignment, number: int, state: dict[str, str]
) -> None:
    for at, row in _rows(world, mine, number, state):
        person, kappa = str(mine.account_id), mine.terms.kappa
        found.rows.append(Seen(person, at, kappa, world, row))
        for place, name in enumerate(world.schema.names):
            found.characters[name][state[name]] += len(shown(row, place))
            found.characters[name]["all"] += len(row.record[place])
