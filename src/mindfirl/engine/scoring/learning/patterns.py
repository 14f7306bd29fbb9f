"""Patterns of levels, counted where the records are: only numbers come back, no values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.engine.scoring.comparisons import Comparison, condition_sql, nothing_sql
from mindfirl.engine.scoring.learning.unions import Floats
from mindfirl.engine.scoring.splink_inputs import POSITION, Session


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The levels of pairs, 0 where a value is missing, and how many pairs have each pattern."""

    levels: NDArray[np.uint8]
    counts: Floats


def count_patterns(session: Session, rules: Sequence[str]) -> Patterns:
    """Compare the pairs that any rule makes, each once, and count their patterns."""
    names = [f"level{each.place}" for each in session.comparisons]
    frame = session.api.query_sql(_query(session, rules, names))
    table = session.engine.fetch(frame, [*names, "pairs"])
    frame.drop_table_from_database_and_remove_from_cache()
    levels = _levels(table, names)
    order = np.lexsort(levels.T[::-1])
    return Patterns(levels[order], table.column("pairs").to_numpy()[order].astype(np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class GradedPairs:
    """Some pairs of records by their positions, in order, and their levels.

    Each stands for as many pairs as ``stands_for`` says.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    levels: NDArray[np.uint8]
    stands_for: NDArray[np.int64]


def grade_pairs(session: Session, rules: Mapping[str, int]) -> GradedPairs:
    """Compare pairs that any rule makes, each once: one in as many as is said of each rule."""
    names = [f"level{each.place}" for each in session.comparisons]
    others = [f"{POSITION}_l", f"{POSITION}_r", "stands_for"]
    frame = session.api.query_sql(_graded(session, list(rules), names, list(rules.values())))
    table = session.engine.fetch(frame, [*others, *names])
    frame.drop_table_from_database_and_remove_from_cache()
    left, right, stands_for = (table.column(name).to_numpy().astype(np.int64) for name in others)
    order = np.lexsort((right, left))
    return GradedPairs(left[order], right[order], _levels(table, names)[order], stands_for[order])


def _levels(table: pa.Table, names: Sequence[str]) -> NDArray[np.uint8]:
    return np.stack([table.column(name).to_numpy().astype(np.uint8) for name in names], axis=1)


def _query(session: Session, rules: Sequence[str], names: Sequence[str]) -> str:
    found = ", ".join(names)
    return (
        f"select {found}, cast(count(*) as double) as pairs "  # noqa: S608  # names of ours alone
        f"from ({_graded(session, rules, names)}) as graded group by {found}"
    )


def _graded(
    session: Session, rules: Sequence[str], names: Sequence[str], parts: Sequence[int] = ()
) -> str:
    """Write the levels of all pairs that any rule makes, or of one in so many of a rule's pairs."""
    others = {each.place: each for each in session.comparisons}
    graded = ", ".join(
        f"cast({_case(each, others)} as tinyint) as {name}"
        for each, name in zip(session.comparisons, names, strict=True)
    )
    values = ", ".join(
        f"l.{name} as {name}_l, r.{name} as {name}_r" for name in (POSITION, *session.value_columns)
    )
    pairs = " union all ".join(
        _select(
            f"{values}, {one_in} as stands_for",
            session.frame.physical_name,
            session.part_sql(rule, one_in),
            rules[:number],
        )
        for number, (rule, one_in) in enumerate(zip(rules, parts or [1] * len(rules), strict=True))
    )
    wanted = f"{POSITION}_l, {POSITION}_r, stands_for, {graded}"
    return f"select {wanted} from ({pairs}) as pairs"  # noqa: S608  # names of ours alone


def _select(wanted: str, table: str, rule: str, earlier: Sequence[str]) -> str:
    """Write which pairs a rule makes that no earlier one has made."""
    new = [f"not coalesce({each}, false)" for each in earlier]
    conditions = " and ".join([rule, f"l.{POSITION} < r.{POSITION}", *new])
    return f"select {wanted} from {table} l join {table} r on {conditions}"  # noqa: S608  # ours


def _case(comparison: Comparison, others: dict[int, Comparison]) -> str:
    """Write the number of a pair's level."""
    top = len(comparison.names) - 1
    levels = "".join(
        f" when {condition_sql(comparison, level)} then {top - number}"
        for number, level in enumerate(comparison.levels)
    )
    return f"case when {nothing_sql(comparison, others)} then 0{levels} else 1 end"
