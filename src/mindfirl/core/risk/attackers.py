"""More than the published score: records seen in several rows, and three attackers.

A reader who sees a record in several rows knows what all of them show. Its possible records are
those of every row, its share shown is that of the positions shown on any. Over one worker's
display this is the union per record; over the displays of all workers, what they know together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from mindfirl.core.display.cells import shown_positions
from mindfirl.core.population.conditions import Condition
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.kapr import ROWS, Risk, View, exact_sum, score
from mindfirl.core.values.schema import Accounting


@dataclass(frozen=True, slots=True)
class Attackers:
    """What a privacy officer knows from other tools."""

    prosecutor: Fraction
    """The highest 1/k: the risk of the person easiest to find."""
    marketer: Fraction
    """The mean 1/k over all rows."""
    reidentifications: Fraction
    """How many of the records of which a character was shown one expects to re-identify."""
    records_shown: int
    """How many records those are."""
    unique_rows: Fraction
    """The share of rows with k = 1."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A row on which a record is shown: the index, the pair in its state, and the accounting.

    ``version`` is the number of the version whose records the index has; ``outdated`` are the
    attributes whose values the record has no more in the newest one. Both they and ``names`` call
    attributes as they are known across versions, in the order of the index; by default by its own.
    """

    index: PopulationIndex
    view: View
    row: int
    accounting: Accounting
    version: int = 0
    outdated: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes, as they are known across versions."""
        return self.names or self.index.schema.names

    @property
    def record(self) -> int:
        """The record on the row."""
        return self.view.records[self.row]

    @property
    def shown(self) -> dict[str, frozenset[int]]:
        """The positions of each attribute that the row shows."""
        view = self.view
        cells = zip(self.attributes, view.differences, view.levels, strict=True)
        return {
            name: frozenset(shown_positions(difference, level, self.row))
            for name, difference, level in cells
        }

    @property
    def lengths(self) -> dict[str, int]:
        """How long the values of the record are."""
        return {
            name: column.values.length(int(column.codes[self.record]))
            for name, column in zip(self.attributes, self.index.columns, strict=True)
        }


@dataclass(frozen=True, slots=True)
class FrozenSighting:
    """A row of a version whose index was deleted: what it showed, and the smallest k∪ there.

    ``k`` is that of its record over the rows of all people, ``own_k`` over those of its person.
    """

    version: int
    shown: Mapping[str, frozenset[int]]
    lengths: Mapping[str, int]
    k: int
    own_k: int
    outdated: frozenset[str] = frozenset()


AnySighting = Sighting | FrozenSighting


def record_risks(
    index: PopulationIndex, views: Iterable[View], accounting: Accounting
) -> dict[int, Risk]:
    """Return the risk of every record that was on a row, taking all its rows together."""
    sightings: dict[int, list[Sighting]] = {}
    for view in views:
        for row in ROWS:
            sightings.setdefault(view.records[row], []).append(
                Sighting(index, view, row, accounting)
            )
    return {record: record_risk(rows) for record, rows in sightings.items()}


def record_risk(sightings: Sequence[AnySighting], *, one_person: bool = False) -> Risk:
    """Return the risk of a record, taking together all rows on which it is shown.

    The rows may be shown in different ways, as long as the records behind them are the same. Across
    versions, a record keeps the positions shown on values that did not change, and its smallest k∪.
    Of frozen rows it is known over all people, and over ``one_person`` whose rows these all are.
    """
    places: set[tuple[str, int]] = set()
    lengths: dict[str, int] = {}
    versions: dict[int, list[Sighting]] = {}
    fewest: list[int] = []
    for each in sorted(sightings, key=lambda each: each.version):
        places |= _lasting_places(each)
        if isinstance(each, FrozenSighting):
            fewest.append(each.own_k if one_person else each.k)
            lengths |= each.lengths
        elif each.version in versions:
            versions[each.version].append(each)
        else:
            versions[each.version] = [each]
            lengths |= each.lengths
    return _record_risk(lengths, places, min([*fewest, *map(possible_records, versions.values())]))


def _lasting_places(sighting: AnySighting) -> set[tuple[str, int]]:
    """Return the positions of each attribute that a row shows, where they are not outdated."""
    return {
        (name, place)
        for name, places in sighting.shown.items()
        if name not in sighting.outdated
        for place in places
    }


def possible_records(sightings: Sequence[Sighting]) -> int:
    """Count the records of one version that fit all these rows."""
    conditions: list[Condition] = []
    for each in sightings:
        view = each.view
        conditions += each.index.row_conditions(
            each.record, view.differences, view.levels, each.row, each.accounting
        )
    return sightings[0].index.possible(conditions).size


def record_units(sightings: Sequence[AnySighting], *, worst: bool = False) -> int:
    """Return what a record adds to the project-wide score, in units: once, over all its rows.

    At worst, nobody else could be the one shown.
    """
    risk = record_risk(sightings)
    return Risk(risk.shown, risk.scale, 1 if worst else risk.k).units(kappa=1)


def union_score(
    views: Iterable[View], records: Mapping[int, Risk], *, attributes: int, kappa: int
) -> Fraction:
    """Return K∪: every row counted with the risk of its record."""
    rows = [records[record] for view in views for record in view.records]
    return score(rows, attributes=attributes, kappa=kappa)


def attackers(rows: Sequence[Risk], records: Iterable[Risk]) -> Attackers:
    """Summarise the risks of the rows of a display and of the records on them."""
    shown = [risk for risk in records if risk.shown]
    return Attackers(
        prosecutor=Fraction(1, min(risk.k for risk in rows)),
        marketer=exact_sum((1, risk.k) for risk in rows) / len(rows),
        reidentifications=exact_sum((1, risk.k) for risk in shown),
        records_shown=len(shown),
        unique_rows=Fraction(sum(risk.k == 1 for risk in rows), len(rows)),
    )


def _record_risk(lengths: dict[str, int], places: set[tuple[str, int]], possible: int) -> Risk:
    """Return the risk of a record of which some places (attribute, position) were shown.

    An attribute that a newer version leaves out still counts: people remember its values.
    """
    scale = lcm(*(length or 1 for length in lengths.values()))
    total = sum(scale // lengths[name] for name, _ in places if lengths.get(name))
    return Risk(total, scale, possible)
