"""Generated data sets with displays in any state, small enough to be scanned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from math import prod
from typing import TypeVar

from hypothesis import strategies as st

from mindfirl.core.population.index import PopulationIndex, build_index
from mindfirl.core.risk import kapr
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import LEVELS, Attribute, Level, Pair, Schema
from tests.support.naive import World

_Item = TypeVar("_Item")

NAMES = [
    "",
    "Al",
    "Ali",
    "Lia",
    "La",
    "Ala",
    "Alia",
    "Zoé",
    "Zoe",
    "Zo\u0301e",
    "Mary",
    "Mark",
    "Ab cd",
]
NUMBERS = ["", "123", "132", "124", "321", "12", "999"]
DATES = [
    "",
    "08/09/1964",
    "09/08/1964",
    "08/09/1946",
    "09/08/1965",
    "01/02/2003",
    "1964",
    "08/1964",
    "13/40/1964",
]
GROUPS = ["", "A", "B", "Hispanic"]


@dataclass(frozen=True)
class Case:
    """A data set, its index, and a display: pairs, each in a state."""

    world: World
    index: PopulationIndex = field(repr=False)
    display: tuple[tuple[Pair, dict[str, Level]], ...]
    kappa: int

    @property
    def schema(self) -> Schema:
        return self.index.schema

    def views(self) -> list[kapr.View]:
        return [kapr.view_pair(self.index, pair, state) for pair, state in self.display]


def make_case(
    schema: Schema,
    records: list[tuple[str, ...]],
    display: list[tuple[tuple[int, int], tuple[Level, ...]]],
    dense_limit: int,
    kappa: int,
) -> Case:
    rows = [dict(zip(schema.names, record, strict=True)) for record in records]
    index = build_index(schema, raw_columns(schema.names, rows), dense_limit=dense_limit)
    seen = [
        [value.reveal() for value in index.record(position)] for position in range(len(records))
    ]
    pairs = tuple(
        (index.pair(*positions), dict(zip(schema.names, levels, strict=True)))
        for positions, levels in display
    )
    return Case(World(schema, seen), index, pairs, kappa)


def one_of_each(pools: Sequence[Sequence[_Item]]) -> st.SearchStrategy[tuple[_Item, ...]]:
    """Draw one item of each pool by a single number: a fraction of the time of a draw for each."""

    def spelled(number: int) -> tuple[_Item, ...]:
        items = []
        for pool in pools:
            number, place = divmod(number, len(pool))
            items.append(pool[place])
        return tuple(items)

    return st.integers(0, prod(map(len, pools)) - 1).map(spelled)


@st.composite
def cases(draw: st.DrawFn, *, most_pairs: int = 3) -> Case:
    schema = draw(st.sampled_from(SCHEMAS))
    records = draw(st.lists(RECORDS[schema], min_size=2, max_size=9))
    positions = list(permutations(range(len(records)), 2))
    shown = st.tuples(st.sampled_from(positions), STATES[schema])
    display = draw(st.lists(shown, min_size=1, max_size=most_pairs))
    dense_limit, kappa = draw(LIMITS)
    return make_case(schema, records, display, dense_limit, kappa)


POOLS = {"first": NAMES, "last": NAMES, "born": DATES, "number": NUMBERS, "group": GROUPS}
SCHEMAS = [
    Schema(
        [
            Attribute("first", "string"),
            Attribute("last", "string", frequency=True),
            Attribute("born", "date"),
            Attribute("group", "category"),
        ],
        swap_groups=[("first", "last")],
    ),
    Schema(
        [Attribute("number", "fixed"), Attribute("born", "date"), Attribute("last", "string")],
        date_swap="fields",
        date_order="dmy",
        string_limit=1,
        fixed_limit=1,
        date_limit=4,
    ),
    Schema(
        [
            Attribute("group", "category", frequency=True),
            Attribute("number", "fixed"),
            Attribute("first", "string"),
            Attribute("last", "fixed"),
        ],
        swap_groups=[("last", "first")],
        case="upper",
    ),
]
RECORDS = {schema: one_of_each([POOLS[name] for name in schema.names]) for schema in SCHEMAS}
STATES = {schema: one_of_each([LEVELS for _ in schema.names]) for schema in SCHEMAS}
LIMITS = st.sampled_from([(limit, kappa) for limit in (1, 2, 3, 100) for kappa in (2, 3)])
