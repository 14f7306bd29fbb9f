"""Groups of a report tell nothing of a guess: values are counted in the database of the record."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mindfirl.core.display.cells import frequency_band
from mindfirl.core.population.index import PopulationIndex, build_index
from mindfirl.core.values.column_values import raw_columns
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.services.report.groups import bands_within
from tests.support.guesses import SCHEMA, TARGET, close_guesses, people, random_guesses

PERSONS, GUESSES, RIGHT = 60, 150, 97
WRONG = "999999999"


def world(guesses: list[str]) -> PopulationIndex:
    schema = parse_schema(SCHEMA, "schema.toml").schema
    rows = [*people(PERSONS), *((*TARGET, guess) for guess in guesses)]
    records = [dict(zip(schema.names, row, strict=True)) for row in rows]
    return build_index(schema, raw_columns(schema.names, records))


def groups_of(index: PopulationIndex) -> list[str]:
    band = bands_within(index, [0, PERSONS], "number")
    return [band(record) for record in range(len(index.columns[0].codes))]


@pytest.mark.parametrize("times", [1, 2, 6, 101])
@pytest.mark.parametrize("kind", [random_guesses, close_guesses])
def test_the_right_guess_moves_nobody_to_another_group(
    kind: Callable[[int, int], list[str]], times: int
) -> None:
    guesses = kind(GUESSES, RIGHT)
    wrong = [*guesses[:RIGHT], WRONG, *guesses[RIGHT + 1 :]]
    with_it, without = world(guesses * times), world(wrong * times)
    assert groups_of(with_it) == groups_of(without)
    column = with_it.columns[-1]
    over_all = frequency_band(column.count(int(column.codes[0])))
    assert over_all != groups_of(with_it)[0], "counted over all databases, it would move"
