"""A price table hardly tells whether a database of guesses holds the right one."""

from __future__ import annotations

import random

import pytest

from mindfirl.core.population.index import PopulationIndex, build_index
from mindfirl.core.values.column_values import raw_columns
from mindfirl.engine.bands.price_table import Prices, draw_reference_pairs, work_out_prices
from mindfirl.engine.schema.schema_parser import parse_schema
from tests.conftest import Figure
from tests.support.guesses import NUMBER, SCHEMA, TARGET, Row, people, random_guesses
from tests.support.proof import FULL

WORLDS = 30 if FULL else 4
PERSONS = 1_000
GUESSES = 150


def world(guesses: list[str], fillers: list[Row]) -> PopulationIndex:
    schema = parse_schema(SCHEMA, "schema.toml").schema
    rows = [*people(PERSONS), *((*TARGET, guess) for guess in guesses), *fillers]
    records = [dict(zip(schema.names, row, strict=True)) for row in rows]
    return build_index(schema, raw_columns(schema.names, records))


def told(index: PopulationIndex, seed: int) -> Prices:
    pairs = draw_reference_pairs([column.codes for column in index.columns], seed=seed)
    return work_out_prices(index, pairs, "paper").prices(1)


def some_fillers(dice: random.Random) -> list[Row]:
    """Return people whose numbers come twice: with them one moves a mean to where it rounds."""
    return [row for row in people(dice.randrange(1, 300), seed=dice.randrange(10**6)) for _ in "12"]


@pytest.mark.proof
def test_prices_with_and_without_the_right_guess_are_nearly_always_equal(figure: Figure) -> None:
    """Drawn by one seed, unequal prices bound what anybody gains who sees one of the two."""
    dice = random.Random(4)
    unequal = 0
    for seed in range(WORLDS):
        fillers, guesses = some_fillers(dice), random_guesses(GUESSES, 0, seed=seed)
        assert guesses[0] == NUMBER
        wrong = ["999999999", *guesses[1:]]
        unequal += told(world(guesses, fillers), seed) != told(world(wrong, fillers), seed)
    assert unequal <= max(1, WORLDS // 8)
    figure(f"price tables with and without the right guess: {unequal} of {WORLDS} differ")
