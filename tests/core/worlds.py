"""Generated data sets with displays in any state, small enough to be scanned."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import permutations

from hypothesis import strategies as st

from mindfirl.core import kapr
from mindfirl.core.population.index import PopulationIndex, build_index, raw_columns
from mindfirl.core.schema import LEVELS, Attribute, Level, Pair, Schema
from tests.core.naive import World

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
        return [kapr.view(self.index, pair, state) for pair, state in self.display]


def make_case(
    schema: Schema,
    records: list[tuple[str, ...]],
    display: list[tuple[tuple[int, int], tuple[Level, ...]]],
    dense_limit: int,
    kappa: int,
) -> Case:
    rows = [dict(zip(schema.names, record, strict=True)) for record in records]
    index = build_index(schema, raw_columns(schema, rows), dense_limit=dense_limit)
    seen = [
        [value.reveal() for value in index.record(position)] for position in range(len(records))
    ]
    pairs = tuple(
        (index.pair(*positions), dict(zip(schema.names, levels, strict=True)))
        for positions, levels in display
    )
    return Case(World(schema, seen), index, pairs, kappa)


@st.composite
def cases(draw: st.DrawFn, *, most_pairs: int = 3) -> Case:
    schema = draw(st.sampled_from(SCHEMAS))
    columns = [POOLS[name] for name in schema.names]
    record = st.tuples(*(st.sampled_from(pool) for pool in columns))
    records = draw(st.lists(record, min_size=2, max_size=9))
    positions = st.sampled_from(list(permutations(range(len(records)), 2)))
    levels = st.tuples(*(st.sampled_from(LEVELS) for _ in columns))
    display = draw(st.lists(st.tuples(positions, levels), min_size=1, max_size=most_pairs))
    dense_limit = draw(st.sampled_from([1, 2, 3, 100]))
    return make_case(schema, records, display, dense_limit, draw(st.sampled_from([2, 3])))


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
