"""What people have seen of records: risks by row, by record over all rows, and by group.

Rows are counted by the published and the strict rules, records over their rows by the published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from mindfirl.core.display.cells import disclosed_characters
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.attackers import AnySighting, Attackers, Sighting, attackers, record_risk
from mindfirl.core.risk.kapr import ROWS, Risk, View, row_risks
from mindfirl.core.values.schema import LEVELS, MASKED
from mindfirl.engine.frozen_rows import FrozenRow

Record = tuple[int, int]
"""A record: the number of its import version, and its position."""


@dataclass(frozen=True, slots=True, eq=False)
class ExposedRow:
    record: Record
    kappa: int
    published: Risk
    strict: Risk
    sighting: AnySighting | None
    """Nothing where all of the row is masked."""


_Opened = tuple[AnySighting, Risk]
"""A row on which something is open, and its risk by the published rules."""


@dataclass(frozen=True, slots=True)
class Attack:
    """What attackers can hope for who have some rows: the highest 1/k, the mean, rows of k = 1."""

    prosecutor: float
    marketer: float
    unique_rows: float


@dataclass(frozen=True, slots=True)
class Exposure:
    rows: int
    published: float
    strict: float
    union: float
    attack: Attack
    strict_attack: Attack
    records: int
    reidentifications: float
    """How many of them one expects to re-identify."""


@dataclass(frozen=True, slots=True)
class RecordExposure:
    """What was shown of a record over all its rows: characters, and its share of the whole risk."""

    characters: int
    risk: float


@dataclass(frozen=True, slots=True)
class GroupExposure:
    name: str | None
    """Nothing for all that are in no group of their own."""
    persons: int
    records: int
    shown: int
    characters: float
    """How many characters were shown of each, on average over all of them."""
    risk: float
    """The risk of each, on average over all of them: 1 is everything of somebody who is unique."""


Found = Callable[[Record], tuple[Record, frozenset[str], tuple[str, ...]]]
"""Finds a record in the newest version that has it, what it has otherwise there, and what the
attributes of its own version are called across versions."""


def where_it_is(record: Record) -> tuple[Record, frozenset[str], tuple[str, ...]]:
    """Find a record where it is shown, as long as there is one version."""
    return record, frozenset(), ()


def exposed_rows(
    version: int, index: PopulationIndex, view: View, kappa: int, find: Found = where_it_is
) -> tuple[ExposedRow, ExposedRow]:
    published, strict = row_risks(index, view, "paper"), row_risks(index, view, "strict")
    opened = any(level != MASKED for level in view.levels)
    now = [find((version, view.records[row])) for row in ROWS]
    first, second = (
        ExposedRow(
            now[row][0],
            kappa,
            published[row],
            strict[row],
            Sighting(index, view, row, "paper", version, *now[row][1:]) if opened else None,
        )
        for row in ROWS
    )
    return first, second


def frozen_exposed_rows(
    version: int, rows: Iterable[FrozenRow], kappa: int, find: Found
) -> Iterator[ExposedRow]:
    """Return rows of a version whose index was deleted, as they were when it was."""
    for row in rows:
        record, outdated, names = find((version, row.record))
        sighting = row.sighting(version, outdated, names, accounted=False)
        yield ExposedRow(record, kappa, *row.risks, sighting if row.opened else None)


def exposure(rows: Sequence[ExposedRow], places: int, *, one_person: bool = False) -> Exposure:
    """Say what was seen on some rows; ``places`` are all rows, each times its attributes.

    The rows are all those of one person, of a version, or of all versions.
    """
    found_rows = _together(rows).items()
    risks = {record: _risk(those, one_person=one_person) for record, those in found_rows}
    found = attackers([row.published for row in rows], risks.values())
    strict = attackers([row.strict for row in rows], ())
    nothing = Risk(0, 1, 1)
    return Exposure(
        rows=len(rows),
        published=_score(((row.published, row.kappa) for row in rows), places),
        strict=_score(((row.strict, row.kappa) for row in rows), places),
        union=_score(((risks.get(row.record, nothing), row.kappa) for row in rows), places),
        attack=_attack(found),
        strict_attack=_attack(strict),
        records=found.records_shown,
        reidentifications=float(found.reidentifications),
    )


def record_exposures(rows: Iterable[ExposedRow]) -> dict[Record, RecordExposure]:
    listed = list(rows)
    found = dict.fromkeys((row.record for row in listed), RecordExposure(0, 0.0))
    for record, those in _together(listed).items():
        width = len(those[0][0].lengths)
        found[record] = RecordExposure(_characters(those), float(_risk(those).exact(1)) / width)
    return found


def group_exposures(
    records: Mapping[Record, RecordExposure],
    name_of: Callable[[Record], str],
    persons_in: Callable[[Iterable[Record]], int],
    *,
    least: int,
) -> list[GroupExposure]:
    """Put records together by a name, the largest group first; those of small groups become one.

    A group of fewer persons than ``least`` joins the others, which come last. Where these are too
    few themselves, the next smallest group joins them; where all are too few, nothing is said.
    """
    named: dict[str, list[Record]] = {}
    for record in records:
        named.setdefault(name_of(record), []).append(record)
    sizes = {name: persons_in(each) for name, each in named.items()}
    others: list[Record] = []
    for name in sorted(named, key=lambda name: (sizes[name], name)):
        if sizes[name] >= least and (not others or persons_in(others) >= least):
            break
        others += named.pop(name)
    found = [
        _group(name, sizes[name], named[name], records)
        for name in sorted(named, key=lambda name: (-sizes[name], name))
    ]
    left = persons_in(others) if others else 0
    return [*found, *([_group(None, left, others, records)] if left >= least else [])]


def characters_by_level(view: View) -> list[tuple[int, ...]]:
    """Return how many characters of each attribute a pair shows at each level: in the end, all."""
    return [
        tuple(
            sum(shown for shown, _ in disclosed_characters(difference, level))
            for level in range(len(LEVELS))
        )
        for difference in view.differences
    ]


def frozen_characters_by_level(pair: Iterable[FrozenRow]) -> list[tuple[int, ...]]:
    """Return the same of a pair of a version whose index was deleted, up to the level it is at."""
    by_row = [
        [(0, *counts) for counts in zip(row.partial, row.lengths, strict=True)] for row in pair
    ]
    return [tuple(map(sum, zip(*cells, strict=True))) for cells in zip(*by_row, strict=True)]


def _group(
    name: str | None,
    persons: int,
    records: Sequence[Record],
    exposures: Mapping[Record, RecordExposure],
) -> GroupExposure:
    those = [exposures[record] for record in records]
    return GroupExposure(
        name=name,
        persons=persons,
        records=len(those),
        shown=sum(each.characters > 0 for each in those),
        characters=sum(each.characters for each in those) / len(those),
        risk=fsum(each.risk for each in those) / len(those),
    )


def _together(rows: Iterable[ExposedRow]) -> dict[Record, list[_Opened]]:
    found: dict[Record, list[_Opened]] = {}
    for row in rows:
        if row.sighting is not None:
            found.setdefault(row.record, []).append((row.sighting, row.published))
    return found


def _risk(rows: Sequence[_Opened], *, one_person: bool = False) -> Risk:
    """Return the risk of a record over its rows; of a single one it is known, unless outdated."""
    if len(rows) == 1 and not rows[0][0].outdated:
        return rows[0][1]
    return record_risk([sighting for sighting, _ in rows], one_person=one_person)


def _characters(rows: Iterable[_Opened]) -> int:
    places = {
        (name, place)
        for sighting, _ in rows
        for name, shown in sighting.shown.items()
        for place in shown
    }
    return len(places)


def _score(risks: Iterable[tuple[Risk, int]], places: int) -> float:
    """Return K: the risks of rows, each with its κ, over all rows and attributes."""
    terms = ((risk.over(kappa), kappa) for risk, kappa in risks)
    return fsum(kappa * shares / whole for (shares, whole), kappa in terms) / places


def _attack(found: Attackers) -> Attack:
    return Attack(float(found.prosecutor), float(found.marketer), float(found.unique_rows))
