"""Which columns hold what, told by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from mindfirl.core.errors import DataError, or_list

_WEIGHTS: Final = ("match_weight", "weight")
_PROBABILITIES: Final = ("match_probability", "probability", "score")
_CONFIDENCES: Final = ("confidence_score", "link score", "confidence", *_PROBABILITIES)
_GROUPS: Final = ("cluster id", "cluster_id")
_HOMES: Final = ("source_dataset", "database")
_IDS: Final = ("unique_id", "id", "record_id", "rec_id")

FILE_NUMBERS: Final = "source file"
"""The column in which dedupe's example of a linkage counts the databases, from 0."""


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """A column of weights, or of probabilities."""

    column: str
    is_probability: bool


@dataclass(frozen=True, slots=True)
class Sides:
    """A pair in each row: the columns of both ids, and of both databases if they are named.

    ``called`` is what messages call the columns of ids. Without a header, what stands there are
    ids, so a name that nobody knows is not repeated.
    """

    ids: tuple[str, str]
    called: tuple[str, str]
    databases: tuple[str, str] | None
    score: ScoreColumn | None


@dataclass(frozen=True, slots=True)
class Groups:
    """A record in each row, with its group: all records of one group are pairs."""

    group: str
    id: str
    database: str | None
    score: ScoreColumn | None


def layout_of(columns: Iterable[str], *, id_column: str | None, file: str) -> Sides | Groups:
    """Tell what the columns of a file hold; the records' id column may have a name of its own."""
    known = {name.lower(): name for name in columns}
    own = (id_column.lower(),) if id_column else ()
    if group := _first(known, _GROUPS):
        found = _first(known, (*own, *_IDS))
        if found is None:
            mend = f"Name the column of the record ids {or_list((*own, *_IDS))}."
            rule = "no column of record ids is known by its name."
            raise DataError(rule, mend, file=file, row=0)
        home = _first(known, (*_HOMES, FILE_NUMBERS))
        return Groups(group, found, home, _score(known, _CONFIDENCES))
    for name in (*own, *_IDS):
        if ids := _both(known, f"{name}_l", f"{name}_r"):
            homes = _both(known, "source_dataset_l", "source_dataset_r")
            return Sides(ids, ids, homes, _score(known, _PROBABILITIES))
    return _plain(known, file)


def _plain(known: Mapping[str, str], file: str) -> Sides:
    """Take the columns left and right, or else the first two that hold neither score nor name."""
    homes = _both(known, "left_database", "right_database")
    score = _score(known, _CONFIDENCES)
    if ids := _both(known, "left", "right"):
        return Sides(ids, ids, homes, score)
    names = list(known.values())
    others = {
        *(homes or ()),
        *(known[name] for name in (*_WEIGHTS, *_CONFIDENCES) if name in known),
    }
    rest = [(name, f"{place} of {len(names)}") for place, name in enumerate(names, start=1)]
    rest = [each for each in rest if each[0] not in others]
    if len(rest) < len(("left", "right")):
        rule, mend = "there are no two columns of ids.", "Name them left and right."
        raise DataError(rule, mend, file=file, row=0)
    (left, first), (right, second) = rest[:2]
    return Sides((left, right), (first, second), homes, score)


def _score(known: Mapping[str, str], probabilities: tuple[str, ...]) -> ScoreColumn | None:
    """Find the score; a weight tells more than a probability that is nearly 1."""
    if weight := _first(known, _WEIGHTS):
        return ScoreColumn(weight, is_probability=False)
    probability = _first(known, probabilities)
    return ScoreColumn(probability, is_probability=True) if probability else None


def _first(known: Mapping[str, str], names: Iterable[str]) -> str | None:
    return next((known[name] for name in names if name in known), None)


def _both(known: Mapping[str, str], left: str, right: str) -> tuple[str, str] | None:
    return (known[left], known[right]) if left in known and right in known else None
