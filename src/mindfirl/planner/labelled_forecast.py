"""A forecast for labelled pairs, without a project."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mindfirl.core.errors import SettingError
from mindfirl.core.forecast.frontier import Forecast
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.review.terms import Terms
from mindfirl.core.values.schema import Accounting, Pair
from mindfirl.planner.forecasting import Labels, make_forecast
from mindfirl.planner.people_file import read_habits


def forecast_labelled(
    index: PopulationIndex,
    pairs: Sequence[Pair],
    same: Sequence[bool],
    *,
    kappa: int,
    accounting: Accounting,
) -> Forecast:
    if len(pairs) != len(same):
        raise SettingError(
            f"There are {len(pairs):,} pairs and {len(same):,} labels. Give one for each."
        )
    planned = make_forecast(
        index,
        np.array([pair.left for pair in pairs], dtype=np.int64),
        np.array([pair.right for pair in pairs], dtype=np.int64),
        Labels(np.arange(len(pairs)), np.array(same, dtype=np.bool_)),
        source="truth",
        terms=Terms(kappa=kappa, accounting=accounting),
        habits=read_habits(),
    )
    return planned.forecast
