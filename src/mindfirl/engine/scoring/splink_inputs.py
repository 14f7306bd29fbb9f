"""Records, rules and a model, as Splink wants them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from mindfirl.core.values.schema import Schema
from mindfirl.engine.scoring.blocking import Mode, Rule
from mindfirl.engine.scoring.comparisons import (
    Comparison,
    column,
    comparisons_of,
    condition_sql,
    is_plain,
    letters_column,
    nothing_sql,
    one_byte_letters,
)
from mindfirl.engine.scoring.engines import Api, Engine, Frame
from mindfirl.engine.scoring.keyed_records import KeyedRecords, comparable_records, exchanges_of
from mindfirl.engine.scoring.keys import Codes, blocking_keys, value_codes

if TYPE_CHECKING:  # Splink takes a second to load: whoever scores no pairs does not wait
    from splink import Linker
    from splink.internals.comparison_creator import ComparisonCreator
    from splink.internals.comparison_level_creator import ComparisonLevelCreator

POSITION: Final = "position"
PART: Final = "part"
DRAW: Final = "draw"
"""A number that every record draws by the seed: records and pairs are sampled by it."""
_EDITED: Final = ("string", "fixed")
"""Of these kinds edits are counted, and letters may be any."""

Shares = Mapping[str, Sequence[float]]
"""The share of each level of an attribute, by number, among some pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    engine: Engine
    api: Api
    frame: Frame
    schema: Schema
    mode: Mode
    sizes: tuple[int, ...]
    records: pa.Table
    codes: tuple[Codes, ...]
    """The values of each attribute as numbers, 0 where one is missing."""
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

    @property
    def value_columns(self) -> list[str]:
        """The columns that comparisons look at."""
        own = [column(place) for place in range(len(self.schema.attributes))]
        return own + [letters_column(place) for place in sorted(self.lettered)]

    @property
    def parts(self) -> Codes:
        """The number of each record's database."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def rule_sql(self, rule: Rule) -> str:
        """Write a rule: the keys that must be equal, or two attributes that are exchanged."""
        exchanged = exchanges_of(self.schema).get(rule)
        if exchanged:
            one, other = map(column, exchanged)
            return self._pairs_sql([f"l.{one} = r.{other}", f"l.{other} = r.{one}"])
        keys = blocking_keys(self.schema)
        columns = [(keys[name], column(keys[name].place)) for name in rule]
        return self._pairs_sql(
            [f"{key.part.sql(f'l.{own}')} = {key.part.sql(f'r.{own}')}" for key, own in columns]
        )

    @property
    def keyed(self) -> KeyedRecords:
        columns = [self.records.column(name) for name in _columns(self.schema)]
        return KeyedRecords(self.schema, columns, self.parts, across=self.mode == "link")

    def sample_sql(self, most: int) -> str:
        """Write a rule that makes about this many pairs, whatever they have in common."""
        groups = max(1, -(-self.possible // most))
        return self._pairs_sql([f"l.{DRAW} % {groups} = r.{DRAW} % {groups}"])

    def part_sql(self, rule: str, one_in: int) -> str:
        """Let a rule make one in this many of its pairs."""
        return rule if one_in == 1 else f"{rule} and (l.{DRAW} + r.{DRAW}) % {one_in} = 0"

    def _pairs_sql(self, conditions: list[str]) -> str:
        across = [f"l.{PART} <> r.{PART}"] if self.mode == "link" else []
        return " and ".join([*conditions, *across])

    def linker(
        self, prior: float, *, chance: Shares, match: Shares, rules: Sequence[Rule] = ()
    ) -> Linker:
        """Return Splink's linker, with what is known of the levels so far.

        All databases are one table of numbered records, and rules say which pairs are across:
        whole numbers are joined faster, and take less memory, than Splink's names of sources.
        """
        others = {each.place: each for each in self.comparisons}
        from splink import Linker, SettingsCreator  # noqa: PLC0415  # heavy, and seldom needed

        settings = SettingsCreator(
            link_type="dedupe_only",
            unique_id_column_name=POSITION,
            probability_two_random_records_match=prior,
            comparisons=[
                _comparison(each, others, chance[each.attribute], match[each.attribute])
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
    identities: Sequence[pa.Table], schema: Schema, *, mode: Mode, engine: Engine, seed: int = 1
) -> Iterator[Session]:
    """Put records before an engine; they are gone from it afterwards."""
    records = _records(identities, schema, seed)
    lettered = [
        place
        for place, attribute in enumerate(schema.attributes)
        if attribute.kind in _EDITED and not is_plain(records.column(column(place)))
    ]
    codes = tuple(value_codes(records.column(name)) for name in _columns(schema))
    for place in lettered:
        letters = one_byte_letters(records.column(column(place)))
        records = records.append_column(letters_column(place), letters)
    with engine.opened() as api:
        frame = api.register(records, table_name="records")
        sizes = tuple(table.num_rows for table in identities)
        yield Session(engine, api, frame, schema, mode, sizes, records, codes, frozenset(lettered))


def _records(identities: Sequence[pa.Table], schema: Schema, seed: int) -> pa.Table:
    """Return all records, numbered, with their values as they are compared."""
    keyed = comparable_records(identities, schema, across=False)
    size = len(keyed.parts)
    drawn = np.random.default_rng(seed).integers(0, 1 << 30, size)
    return (
        pa.table(list(keyed.columns), names=_columns(schema))
        .append_column(POSITION, pa.array(np.arange(size)))
        .append_column(PART, pa.array(keyed.parts.astype(np.int32)))
        .append_column(DRAW, pa.array(drawn))
    )


def _columns(schema: Schema) -> list[str]:
    return [column(place) for place in range(len(schema.attributes))]


def _comparison(
    comparison: Comparison,
    others: Mapping[int, Comparison],
    chance: Sequence[float],
    match: Sequence[float],
) -> ComparisonCreator:
    """Write a comparison with the shares of its levels: missing first, then strict to loose."""
    own = column(comparison.place)
    from splink.internals.comparison_level_library import (  # noqa: PLC0415  # heavy
        CustomLevel,
        ElseLevel,
    )
    from splink.internals.comparison_library import CustomComparison  # noqa: PLC0415  # heavy

    nothing = CustomLevel(nothing_sql(comparison, others), comparison.names[0])
    nothing.configure(is_null_level=True)
    levels: list[ComparisonLevelCreator] = [
        CustomLevel(condition_sql(comparison, level), level.name) for level in comparison.levels
    ]
    levels[0].configure(tf_adjustment_column=own)
    levels.append(ElseLevel())
    for number, level in enumerate(reversed(levels), start=1):
        level.configure(u_probability=chance[number], m_probability=match[number])
    return CustomComparison(output_column_name=own, comparison_levels=[nothing, *levels])
