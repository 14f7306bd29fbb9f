"""What was shown to whom, counted from the ledger and the records themselves; and as forecast.

The levels are those that the ledger tells, so that nothing is counted that is not proven, and
nothing is left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, cast

from mindfirl.core.forecast.frontier import Forecast
from mindfirl.core.ledger.events import Dispatched, Opened
from mindfirl.core.ledger.project_events import DecisionsCarried
from mindfirl.core.ledger.replay import AssignmentBalance
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.progress import Progress
from mindfirl.core.risk.kapr import UNITS
from mindfirl.core.risk.percent import WHOLE
from mindfirl.core.values.schema import LEVELS, MASKED
from mindfirl.engine.exposure import (
    ExposedRow,
    exposure,
)
from mindfirl.services.report.ledger_snapshot import LedgerSnapshot
from mindfirl.services.report.seen_pairs import Indexes, Levels, SeenPair, seen_pairs
from mindfirl.store.models import Assignment, Project
from mindfirl.store.queries.plans import figures_of, forecast_of, is_stale
from mindfirl.workspace.record_lines import RecordLines
from mindfirl.workspace.seen_together import count_together, places_of


@dataclass(slots=True, eq=False)
class Disclosed:
    rows: dict[str, list[ExposedRow]] = field(default_factory=dict)
    shown: Counter[str] = field(default_factory=Counter)
    """How many characters were shown in each assignment."""
    cells: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """How many cells of each attribute stand at each level."""
    characters: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """How many characters these show; and at "all", how many there are."""
    by_hour: Counter[datetime] = field(default_factory=Counter)
    indexes: dict[int, PopulationIndex] = field(default_factory=dict)
    """One index of each import version in which records are now, if it was not deleted."""


def disclosed(
    assignments: Sequence[Assignment], ledger: LedgerSnapshot, progress: Progress
) -> Disclosed:
    found, opened, indexes = Disclosed(), _openings(ledger), Indexes()
    versions = RecordLines.versions_of(assignments[0].project) if assignments else []
    lines = RecordLines.of(versions)
    given = {event.assignment: at for at, event in ledger.of(Dispatched)}
    for done, mine in enumerate(assignments):
        progress("counting what was shown", done, len(assignments))
        name = str(mine.pk)
        found.rows[name] = []
        account = ledger.accounts[name]
        lower = _lower(account)
        for number, seen in seen_pairs(mine, account, indexes, lines):
            found.rows[name] += seen.rows
            _count(found, name, account.terms.attributes, seen)
            start = _start(account, lower.get(number, {}))
            steps = [(given[name], start), *_steps(account, start, opened.get((name, number), []))]
            _count_over_time(found, seen, steps)
    found.indexes = indexes.holding(versions, (row.record for row in _all_rows(found)))
    progress("counting what was shown", len(assignments), len(assignments))
    return found


def _all_rows(found: Disclosed) -> Iterator[ExposedRow]:
    return (row for rows in found.rows.values() for row in rows)


def of_people(
    assignments: Sequence[Assignment],
    ledger: LedgerSnapshot,
    found: Disclosed,
    *,
    numbers: Mapping[str, int],
    decided: Mapping[object, int],
) -> list[dict[str, Any]]:
    theirs: dict[int, list[Assignment]] = {}
    for mine in assignments:
        theirs.setdefault(numbers[str(mine.account_id)], []).append(mine)
    return [
        {
            "number": number,
            "kinds": sorted({mine.kind for mine in each}, reverse=True),
            "decided": sum(decided.get(mine.pk, 0) for mine in each),
            **together(each, ledger, found, one_person=True),
        }
        for number, each in sorted(theirs.items())
    ]


def together(
    assignments: Sequence[Assignment],
    ledger: LedgerSnapshot,
    found: Disclosed,
    *,
    one_person: bool = False,
) -> dict[str, Any]:
    """Say what was seen in some assignments: pairs, budget, charges, K in all ways, attackers.

    They are all those of one person, of a version, or of all versions.
    """
    names = [str(mine.pk) for mine in assignments]
    accounts = [ledger.accounts[name] for name in names]
    places = sum(map(_places, accounts))
    rows = [row for name in names for row in found.rows[name]]
    budget = sum(each.budget * _places(each) for each in accounts)
    spent = sum(each.spent * each.terms.kappa for each in accounts)
    return {
        "assignments": len(names),
        "pairs": sum(each.terms.pairs for each in accounts),
        "budget": budget / places / WHOLE if places else 0.0,
        "charged": spent / places / WHOLE if places else 0.0,
        "characters": sum(found.shown[name] for name in names),
        "exposure": asdict(exposure(rows, places, one_person=one_person)) if rows else None,
    }


def project_wide(project: Project) -> dict[str, Any] | None:
    """Say what all people have seen by the score that the limit for them all is about."""
    newest = project.assignments.order_by("-version__number").first()
    if newest is None:
        return None
    places = places_of(newest.version)
    score = count_together(project) / (places * UNITS)
    return {"score": score, "records": places // len(newest.attributes)}


def by_round(
    assignments: Sequence[Assignment], ledger: LedgerSnapshot, found: Disclosed
) -> list[dict[str, Any]]:
    """Say what was seen on each version, and what became of the decisions before it."""
    carried = {event.version: event for _, event in ledger.of(DecisionsCarried)}
    versions = sorted({mine.version.number for mine in assignments})
    return [
        {
            "round": number,
            "version": version,
            "dispatches": len({mine.dispatch_id for mine in theirs}),
            "carried": _carried(carried.get(version)),
            **together(theirs, ledger, found),
        }
        for number, version in enumerate(versions, start=1)
        for theirs in [[mine for mine in assignments if mine.version.number == version]]
    ]


def _carried(event: DecisionsCarried | None) -> dict[str, int] | None:
    if event is None:
        return None
    return {"stand": event.carried, "again": event.again, "void": event.void}


def by_attribute(found: Disclosed) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "cells": {level: cells[level] for level in LEVELS},
            "characters": {
                level: found.characters[name][level] for level in LEVELS if level != LEVELS[MASKED]
            },
            "of": found.characters[name]["all"],
        }
        for name, cells in found.cells.items()
    ]


def _places(account: AssignmentBalance) -> int:
    """Return the rows of an assignment, times its attributes."""
    return 2 * account.terms.pairs * len(account.terms.attributes)


def _openings(ledger: LedgerSnapshot) -> dict[tuple[str, int], list[tuple[datetime, Opened]]]:
    found: dict[tuple[str, int], list[tuple[datetime, Opened]]] = {}
    for at, event in ledger.of(Opened):
        found.setdefault((event.assignment, event.pair), []).append((at, event))
    return found


def _lower(account: AssignmentBalance) -> dict[int, dict[str, str]]:
    found: dict[int, dict[str, str]] = {}
    for pair, cell, level in account.terms.lower:
        found.setdefault(pair, {})[cell] = level
    return found


def _start(account: AssignmentBalance, lower: Mapping[str, str]) -> Levels:
    starting = {**dict(account.terms.starting), **lower}
    names = account.terms.attributes
    return tuple(LEVELS.index(cast("Any", starting.get(name, LEVELS[MASKED]))) for name in names)


def _steps(
    account: AssignmentBalance, start: Levels, opened: Sequence[tuple[datetime, Opened]]
) -> Iterator[tuple[datetime, Levels]]:
    levels, names = list(start), account.terms.attributes
    for at, event in opened:
        for cell in event.cells:
            levels[names.index(cell)] = LEVELS.index(event.level)
        yield at, tuple(levels)


def _count(found: Disclosed, assignment: str, names: Sequence[str], seen: SeenPair) -> None:
    for name, level, counts in zip(names, seen.levels, seen.characters, strict=True):
        found.cells[name][LEVELS[level]] += 1
        found.characters[name][LEVELS[level]] += counts[level]
        found.characters[name]["all"] += counts[-1]
        found.shown[assignment] += counts[level]


def _count_over_time(
    found: Disclosed, seen: SeenPair, steps: Sequence[tuple[datetime, Levels]]
) -> None:
    """Count the characters of a pair in the hours in which they were first shown."""
    before = 0
    for at, levels in steps:
        if not any(levels):
            continue
        now = sum(counts[level] for counts, level in zip(seen.characters, levels, strict=True))
        found.by_hour[at.replace(minute=0, second=0, microsecond=0)] += now - before
        before = now


def planned(
    project: Project, assignments: Sequence[Assignment], ledger: LedgerSnapshot, found: Disclosed
) -> dict[str, Any] | None:
    """Say what a forecast expects of the budgets of reviews, and what was spent and shown.

    K is held against K, and characters against characters, both of a pair that one person had.
    """
    made = forecast_of(project)
    if made is None:
        return None
    figures = figures_of(made)
    theirs: dict[int, list[Assignment]] = {}
    for mine in assignments:
        if mine.kind == "review" and mine.version_id == made.version_id:
            theirs.setdefault(ledger.accounts[str(mine.pk)].budget, []).append(mine)
    return {
        "made": made.created.date().isoformat(),
        "source": figures.source,
        "labelled": figures.labelled,
        "promises": figures.promises,
        "changed_since": is_stale(made),
        "pairs": made.pairs,
        "drawn": figures.band.pairs,
        "kappa": figures.kappa,
        "everything": _expected(figures, 1.0, everything=True),
        "budgets": [
            {
                "budget": budget / WHOLE,
                "expected": _expected(figures, budget / WHOLE),
                "actual": _actual(each, ledger, found),
            }
            for budget, each in sorted(theirs.items())
        ],
    }


def _expected(figures: Forecast, budget: float, *, everything: bool = False) -> dict[str, float]:
    point = figures.band.full if everything else figures.band.at(budget)
    return {
        "K": point.budget,
        "characters": point.characters,
        "people": point.people,
        "machine": point.accuracy,
    }


def _actual(
    assignments: Sequence[Assignment], ledger: LedgerSnapshot, found: Disclosed
) -> dict[str, Any]:
    seen = together(assignments, ledger, found)
    return {
        "assignments": seen["assignments"],
        "pairs": seen["pairs"],
        "K": seen["charged"],
        "characters": seen["characters"] / seen["pairs"] if seen["pairs"] else 0.0,
    }
