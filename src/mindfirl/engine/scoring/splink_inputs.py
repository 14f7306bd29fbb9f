"""Records, rules and a model, as Splink wants them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
from splink import Linker, SettingsCreator
from splink.internals.comparison_creator import ComparisonCreator
from splink.internals.comparison_level_creator import ComparisonLevelCreator
from splink.internals.comparison_level_library import CustomLevel, ElseLevel, NullLevel
from splink.internals.comparison_library import CustomComparison

from mindfirl.core.values.schema import Schema
from mindfirl.engine.scoring.blocking import Mode, Rule
from mindfirl.engine.scoring.comparisons import (
    Comparison,
    column,
    comparisons_of,
    condition_sql,
    is_plain,
    letters_column,
    one_byte_letters,
)
from mindfirl.engine.scoring.engines import Api, Engine, Frame

POSITION: Final = "position"
PART: Final = "part"
_EDITED: Final = ("string", "fixed")
"""Of these kinds edits are counted, and letters may be any."""

Shares = Mapping[str, Sequence[float | None]]
"""The share of each level of an attribute, by number, among some pairs; None where unknown."""


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    engine: Engine
    api: Api
    frame: Frame
    schema: Schema
    mode: Mode
    sizes: tuple[int, ...]
    lettered: frozenset[int]

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return tuple(
            replace(each, lettered=each.place in self.lettered)
            for each in comparisons_of(self.schema)
        )

    @property
    def possible(self) -> int:
        size = sum(self.sizes)
        every = size * (size - 1) // 2
        within = sum(part * (part - 1) // 2 for part in self.sizes)
        return every - within if self.mode == "link" else every

    def rule_sql(self, rule: Rule) -> str:
        names = [column(self.schema.place(name)) for name in rule]
        agreeing = [f"l.{name} = r.{name}" for name in names]
        across = [f"l.{PART} <> r.{PART}"] if self.mode == "link" else []
        return " and ".join([*agreeing, *across])

    def linker(
        self, prior: float, *, chance: Shares, match: Shares, rules: Sequence[Rule] = ()
    ) -> Linker:
        """Return Splink's linker, with what is known of the levels so far.

        All databases are one table of numbered records, and rules say which pairs are across:
        whole numbers are joined faster, and take less memory, than Splink's names of sources.
        """
        settings = SettingsCreator(
            link_type="dedupe_only",
            unique_id_column_name=POSITION,
            probability_two_random_records_match=prior,
            comparisons=[
                _comparison(each, chance[each.attribute], match[each.attribute])
                for each in self.comparisons
            ],
            blocking_rules_to_generate_predictions=[
                {"blocking_rule": self.rule_sql(rule)} for rule in rules
            ],
            retain_matching_columns=True,
        )
        return Linker(self.frame, settings, log_level=None, validate_settings=False)


@contextmanager
def session(
    identities: Sequence[pa.Table], schema: Schema, *, mode: Mode, engine: Engine
) -> Iterator[Session]:
    """Put records before an engine; they are gone from it afterwards."""
    records = _records(identities, schema)
    lettered = [
        place
        for place, attribute in enumerate(schema.attributes)
        if attribute.kind in _EDITED and not is_plain(records.column(column(place)))
    ]
    for place in lettered:
        letters = one_byte_letters(records.column(column(place)))
        records = records.append_column(letters_column(place), letters)
    with engine.opened() as api:
        frame = api.register(records, table_name="records")
        sizes = tuple(table.num_rows for table in identities)
        yield Session(engine, api, frame, schema, mode, sizes, frozenset(lettered))


def _records(identities: Sequence[pa.Table], schema: Schema) -> pa.Table:
    parts = [
        pa.table(
            [table.column(name).cast(pa.string()) for name in schema.names], names=_columns(schema)
        )
        for table in identities
    ]
    sizes = [table.num_rows for table in identities]
    return (
        pa.concat_tables(parts)
        .append_column(POSITION, pa.array(np.arange(sum(sizes))))
        .append_column(PART, pa.array(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)))
    )


def _columns(schema: Schema) -> list[str]:
    return [column(place) for place in range(len(schema.attributes))]


def _comparison(
    comparison: Comparison, chance: Sequence[float | None], match: Sequence[float | None]
) -> ComparisonCreator:
    """Write a comparison with the shares of its levels: missing first, then strict to loose."""
    own = column(comparison.place)
    levels: list[ComparisonLevelCreator] = [
        CustomLevel(condition_sql(comparison, level), level.name) for level in comparison.levels
    ]
    levels[0].configure(tf_adjustment_column=own)
    levels.append(ElseLevel())
    for number, level in enumerate(reversed(levels), start=1):
        level.configure(u_probability=chance[number], m_probability=match[number])
    return CustomComparison(output_column_name=own, comparison_levels=[NullLevel(own), *levels])


def shares_of(
    linker: Linker, comparisons: Sequence[Comparison], which: str
) -> dict[str, list[Any]]:
    """Read the shares of the levels by number, as far as Splink has learnt them."""
    learnt = linker.misc.save_model_to_json()["comparisons"]
    return {
        each.attribute: [level.get(which) for level in _by_number(told["comparison_levels"])]
        for each, told in zip(comparisons, learnt, strict=True)
    }


def _by_number(levels: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return levels by number: Splink has missing first, then strict to loose."""
    return [levels[0], *reversed(levels[1:])]
