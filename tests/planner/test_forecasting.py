"""Where a project has no labels, people who do not exist teach, and nothing is promised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from mindfirl.core.errors import SettingError
from mindfirl.core.forecast.habits import Habits
from mindfirl.core.population.index import PopulationIndex, build_index
from mindfirl.core.review.plan import Terms
from mindfirl.core.risk.kapr import next_charges, view_pair
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import Attribute, Pair, Schema
from mindfirl.planner import forecasting
from mindfirl.planner.forecasting import Labels, Planned, make_forecast
from mindfirl.planner.reviewer import learning

NOBODY = Labels(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_))
SCHEMA = Schema(
    [
        Attribute("eye_colour", "string"),
        Attribute("birth_date", "date"),
        Attribute("last_name", "string"),
        Attribute("first_name", "string"),
        Attribute("zip", "string"),
    ],
    swap_groups=[("first_name", "last_name")],
)
"""In another order than made-up people have; one attribute they lack, one is of another kind."""
ROWS = [
    ("green", "08/09/1964", "MILLER", "MARY", "10405"),
    ("grey", "08/09/1964", "MILLER", "MARIE", "10405"),
    ("blue", "08/19/1964", "MILLER", "JOHN", "20095"),
    ("brown", "01/02/1990", "SMITH", "JOHN", "20095"),
]


def index_of(schema: Schema) -> PopulationIndex:
    rows = [dict(zip(SCHEMA.names, row, strict=True)) for row in ROWS]
    return build_index(schema, raw_columns(schema.names, rows))


def forecast_of(
    index: PopulationIndex,
    pairs: Sequence[tuple[int, int]] = ((0, 1), (0, 2), (1, 2), (2, 3)),
    told: int | None = None,
) -> Planned:
    left, right = np.array(pairs).T
    about: Any = {"source": "made up", "terms": Terms(), "habits": Habits(), "others": (2,)}
    return make_forecast(index, left, right, NOBODY, told=told, **about)


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecasting, "PERSONS", 350)
    monkeypatch.setattr(learning, "_TREES", 40)
    monkeypatch.setattr(learning, "_RATE", 0.2)


def test_made_up_people_teach_what_they_have_and_promise_nothing() -> None:
    index = index_of(SCHEMA)
    planned = forecast_of(index)
    forecast = planned.forecast
    assert not forecast.promises
    assert forecast.labelled == forecast.band.labelled == 0
    assert all(point.achieved is None for point in forecast.band.frontier)
    assert forecast.band.full.accuracy > 0.5
    suggested = set()
    for left, right in ((0, 1), (0, 2), (1, 2), (2, 3)):
        seen = view_pair(index, Pair(left, right), {})
        prices = next_charges(index, seen, kappa=1, accounting="paper")
        suggested.add(planned.adviser.suggest(index, seen, prices, worth_it=0.0))
    names = {step[0] for step in suggested if step}
    assert names
    assert not names & {"eye_colour", "zip"}


def test_figures_are_told_of_the_first_pairs_alone_whichever_follow() -> None:
    index, first = index_of(SCHEMA), [(0, 1), (0, 2)]
    alone = forecast_of(index, first).forecast
    for more in ([(1, 2)], [(2, 3), (1, 3), (0, 3)]):
        planned = forecast_of(index, [*first, *more], told=2)
        assert planned.forecast == alone
        assert len(planned.prospects.right) == 2 + len(more), "these choose, and are not told"
    assert forecast_of(index, [(0, 1), (2, 3)]).forecast != alone


def test_a_project_that_shares_too_little_with_them_is_told_so() -> None:
    schema = Schema([SCHEMA.attributes[0], SCHEMA.attributes[2]])
    with pytest.raises(SettingError, match="too few of these attributes"):
        forecast_of(index_of(schema))


def test_too_few_labels_teach_nothing() -> None:
    few = Labels(np.arange(4), np.array([True, False, False, True]))
    index, left, right = index_of(SCHEMA), np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3])
    with pytest.raises(SettingError, match="4 labelled pairs"):
        make_forecast(index, left, right, few, source="truth", terms=Terms(), habits=Habits())
