"""A child of the benchmark of the planner: forecast for this many pairs, and say how long it takes.

The pairs are those of made-up people who are hard to tell apart which the bands send to people.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.forecast.frontier import ForecastPart
from mindfirl.core.population.index import PopulationIndex, index_columns
from mindfirl.core.review.plan import Terms
from mindfirl.core.values.column_values import concatenate_columns
from mindfirl.engine.bands.burden import bands_for_rates
from mindfirl.engine.bands.settlement import settle_candidates
from mindfirl.engine.scoring.blocking import choose_blocking, default_most
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.run import score_pairs
from mindfirl.engine.separation.separate import kept_columns
from mindfirl.planner.forecasting import Labels, make_forecast
from mindfirl.planner.people_file import read_habits
from mindfirl.synthetic.individuals import SCHEMA
from mindfirl.synthetic.look_alikes import look_alikes
from peak import peak

PEOPLE_PER_PAIR: Final = 3
"""This many people have more pairs than are asked for."""
REST: Final = "forecast"
BUDGETS: Final = (0.02, 0.03, 0.04, 0.05)
ABOUT: Final = 1.02
"""What a budget pays for is chosen on other pairs, and may cost a little more on these."""

Numbers = NDArray[np.int64]


class Stages:
    """How long each stage took; what lies between them is the forecast's own."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._what, self._since = REST, time.perf_counter()

    def __call__(self, what: str, done: int, steps: int) -> None:
        """Note that a stage has come so far."""
        now = time.perf_counter()
        self.seconds[self._what] = self.seconds.get(self._what, 0.0) + now - self._since
        self._what, self._since = (REST if done == steps else what), now


def main(pairs: int) -> None:
    """Make the pairs up, forecast, and print figures."""
    index, left, right, same = _pairs(pairs)
    before = peak()
    stages, begun = Stages(), time.perf_counter()
    planned = make_forecast(
        index,
        left,
        right,
        Labels(np.arange(pairs), same),
        source="truth",
        terms=Terms(),
        habits=read_habits(),
        progress=stages,
    )
    stages(REST, 0, 0)
    told = {"seconds": time.perf_counter() - begun, "before": before, "peak": peak()}
    forecast = planned.forecast
    told |= {"pairs": pairs, "hard": forecast.parts["hard"].pairs}
    lost = _losses(forecast.band)
    json.dump({**told, "stages": stages.seconds, "losses": lost}, sys.stdout)


def _losses(band: ForecastPart) -> dict[str, float]:
    """Return the points lost against full disclosure, as measured and as expected of people."""
    found = {}
    for budget in BUDGETS:
        point = band.at(budget * ABOUT)
        assert band.full.achieved is not None
        assert point.achieved is not None
        found[f"machine reviewer, K {budget:.0%}"] = 100 * (band.full.achieved - point.achieved)
        found[f"people, K {budget:.0%}"] = 100 * (band.full.people - point.people)
    return dict(sorted(found.items()))


def _pairs(pairs: int) -> tuple[PopulationIndex, Numbers, Numbers, NDArray[np.bool_]]:
    """Take this many of the pairs that go to people, at random, and the truth about them."""
    made = look_alikes(pairs * PEOPLE_PER_PAIR, seed=1)
    tables = made.identities()
    parts = [kept_columns(table, SCHEMA.names) for table in tables]
    columns = {name: concatenate_columns([part[name] for part in parts]) for name in SCHEMA.names}
    most = default_most(len(made.person))
    blocking = choose_blocking(SCHEMA, columns, [0, made.hospital], mode="link", most=most)
    found, _ = score_pairs(tables, SCHEMA, blocking, mode="link", engine=DuckDBEngine(), seed=1)
    databases = np.repeat([0, 1], [table.num_rows for table in tables])
    sent = np.flatnonzero(settle_candidates(found, bands_for_rates(found), databases).sent)
    chosen = np.sort(np.random.default_rng(1).choice(sent, pairs, replace=False))
    left, right = found.left[chosen], found.right[chosen]
    return index_columns(SCHEMA, columns), left, right, made.person[left] == made.person[right]


if __name__ == "__main__":
    main(int(sys.argv[1]))
