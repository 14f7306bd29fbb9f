"""What budgets buy for the pairs of a project: the whole frontier, and what it rests on.

Labelled pairs are decided by a reviewer that has learnt from other people, and what a step must be
worth is chosen on other people's pairs too. So what is achieved on them is what could be achieved
on people who have not been seen yet. Where a project has no labels, made-up people are learnt from,
and that promises nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.core.forecast.frontier import FIXED, Forecast, ForecastPart, Point, Source
from mindfirl.core.forecast.habits import Habits
from mindfirl.core.forecast.measures import Flags
from mindfirl.core.forecast.paths import Ints, Paths
from mindfirl.core.population.index import PopulationIndex, index_columns
from mindfirl.core.progress import Progress
from mindfirl.core.review.plan import Terms
from mindfirl.core.values.column_values import concatenate_columns
from mindfirl.core.values.schema import Accounting, Pair, Schema
from mindfirl.engine.bands.burden import bands_for_rates
from mindfirl.engine.bands.prospects import Prospects
from mindfirl.engine.bands.settlement import settle_candidates
from mindfirl.engine.pairs.candidates import Positions
from mindfirl.engine.scoring.blocking import choose_blocking, default_most
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.run import score_pairs
from mindfirl.engine.separation.separate import kept_columns
from mindfirl.planner import walking
from mindfirl.planner.judging import BUDGETS, UNLABELLED, Judged
from mindfirl.planner.opening_policy import teach
from mindfirl.planner.people_file import read_habits
from mindfirl.planner.reviewer.pair_features import Looks, look_at
from mindfirl.planner.suggestions import Adviser, make_adviser
from mindfirl.planner.walking import TYPICAL, Drawn, Order, Portion
from mindfirl.synthetic import individuals
from mindfirl.synthetic.look_alikes import look_alikes

PERSONS: Final = 6_000
_SEED: Final = 1
_FEWEST_SHARED: Final = 2


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MadeUp:
    looks: Looks
    left: Positions
    right: Positions
    same: NDArray[np.bool_]


def made_up_pairs(schema: Schema) -> MadeUp:
    """Make up people with those attributes of a schema that they can have."""
    places = _shared(schema)
    attributes = [schema.attributes[place] for place in places]
    names = {attribute.name for attribute in attributes}
    settings = {name: getattr(schema.settings, name) for name in _SETTINGS}
    groups = [group for group in schema.swap_groups if set(group) <= names]
    shared = Schema(attributes, swap_groups=groups, **settings)
    made = look_alikes(PERSONS, seed=_SEED)
    identities = made.identities()
    parts = [kept_columns(table, shared.names) for table in identities]
    columns = {name: concatenate_columns([part[name] for part in parts]) for name in shared.names}
    sizes = [table.num_rows for table in identities]
    most = default_most(sum(sizes))
    blocking = choose_blocking(shared, columns, [0, sizes[0]], mode="link", most=most)
    found, _ = score_pairs(
        identities, shared, blocking, mode="link", engine=DuckDBEngine(), seed=_SEED
    )
    sent = settle_candidates(found, bands_for_rates(found), np.repeat([0, 1], sizes)).sent
    left, right = found.left[sent], found.right[sent]
    looks = look_at(index_columns(shared, columns), left, right)
    same = np.asarray(made.person[left] == made.person[right])
    return MadeUp(looks.spread(places, len(schema.attributes)), left, right, same)


_SETTINGS: Final = (
    "date_order", "date_swap", "case", "string_limit", "fixed_limit", "date_limit", "latest_year",
)  # fmt: skip


def _shared(schema: Schema) -> list[int]:
    known = {attribute.name: attribute.kind for attribute in individuals.SCHEMA.attributes}
    places = [
        place
        for place, attribute in enumerate(schema.attributes)
        if known.get(attribute.name) == attribute.kind
    ]
    if len(places) < _FEWEST_SHARED:
        words = ", ".join(f"{name} ({kind})" for name, kind in known.items())
        raise SettingError(
            f"Made-up people have {words}. This project shares too few of these attributes to "
            f"learn anything from them. Give a truth file, or review pairs first."
        )
    return places


HARD: Final = (0.1, 0.9)
"""A pair is hard when, masked, it is thought the same with a probability between these."""
FEWEST: Final = 50
"""From fewer labelled pairs nothing is learnt."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    numbers: Ints
    same: Flags


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Planned:
    forecast: Forecast
    adviser: Adviser
    prospects: Prospects


def make_forecast(
    index: PopulationIndex,
    left: Positions,
    right: Positions,
    labels: Labels,
    *,
    source: Source,
    terms: Terms,
    portion: Portion = TYPICAL,
    habits: Habits,
    others: Sequence[int] = (5, 10),
    orders: Sequence[Order] = (),
    groups: Mapping[str, Flags] | None = None,
    told: int | None = None,
    progress: Progress = lambda _what, _done, _steps: None,
) -> Planned:
    """Forecast what budgets buy; ``others`` are further κ, ``orders`` policies to compare.

    Figures are told of the first ``told`` pairs alone, where not of all.
    """
    looks = look_at(index, left, right, partial(progress, "drawing pairs"))
    pairs = Drawn(index, left, right, looks, terms, portion, habits)
    judged = _judged(pairs, labels, source, progress)
    frontier, suggested = (
        judged.paths(order, progress) for order in (walking.STEP_BY_STEP, walking.AS_SUGGESTED)
    )
    band = np.arange(len(looks)) < (len(looks) if told is None else told)
    chosen = {
        "band": band,
        "hard": band & (frontier.start > HARD[0]) & (frontier.start < HARD[1]),
    }
    for name, flags in (groups or {}).items():
        chosen |= {name: flags, f"hard {name}": flags & chosen["hard"]}
    fixed = judged.fixed(FIXED)
    compared = {order.name: judged.paths(order, progress) for order in orders}
    parts = {
        name: judged.part(flags, frontier, fixed, compared, habits)
        for name, flags in chosen.items()
        if flags.any()
    }
    forecast = Forecast(
        source=source,
        labelled=len(labels.numbers),
        attributes=index.schema.names,
        kappa=terms.kappa,
        accounting=terms.accounting,
        prices=terms.prices,
        parts=parts,
        kappas={
            kappa: _at_kappa(judged, kappa, band, parts["band"], progress)
            for kappa in others
            if kappa != terms.kappa and kappa <= index.size
        },
    )
    return Planned(
        forecast,
        make_adviser(judged.taught, index.schema.names, _worths(pairs, suggested)),
        _prospects(pairs, frontier, parts["band"]),
    )


def _judged(pairs: Drawn, labels: Labels, source: Source, progress: Progress) -> Judged:
    """Learn from labelled pairs, or where there are none, from people who do not exist."""
    learning = partial(progress, "learning")
    judge = np.full(len(pairs), UNLABELLED)
    truth, group = np.zeros(len(pairs), dtype=np.bool_), np.zeros(len(pairs), dtype=np.int64)
    if source == "made up":
        progress("creating synthetic people", 0, 1)
        made = made_up_pairs(pairs.index.schema)
        taught = teach(made.looks, made.left, made.right, made.same, learning)
        return Judged(pairs, taught, judge, truth, group)
    _check(labels)
    order = np.argsort(labels.numbers)
    numbers, same = labels.numbers[order], labels.same[order]
    taught = teach(
        pairs.looks.some(numbers), pairs.left[numbers], pairs.right[numbers], same, learning
    )
    judge[numbers], truth[numbers] = taught.folds.of_pair, same
    group[numbers] = taught.folds.group
    return Judged(pairs, taught, judge, truth, group)


def _check(labels: Labels) -> None:
    if len(labels.numbers) < FEWEST or labels.same.all() or not labels.same.any():
        raise SettingError(
            f"There are {len(labels.numbers):,} labelled pairs among those for people, and "
            f"{FEWEST} are needed, both of one person and of two, to learn anything from them. "
            f"Label more, or widen the band."
        )


def _at_kappa(
    judged: Judged, kappa: int, chosen: Flags, band: ForecastPart, progress: Progress
) -> Point | None:
    terms = replace(judged.pairs.terms, kappa=kappa)
    other = replace(judged, pairs=replace(judged.pairs, terms=terms))
    frontier = other.paths(replace(walking.STEP_BY_STEP, name=f"κ = {kappa}"), progress)
    needed = band.recommended(of_people=True).people
    numbers, habits = np.flatnonzero(chosen), judged.pairs.habits
    for budget in BUDGETS:
        point = other.point(numbers, habits, other.within(frontier, chosen, budget))
        if point.people >= needed:
            return point
    return None


def _worths(pairs: Drawn, frontier: Paths) -> dict[float, float]:
    size = len(pairs)
    return {budget: frontier.worth_within(pairs.units_within(budget, size)) for budget in BUDGETS}


def _prospects(pairs: Drawn, frontier: Paths, band: ForecastPart) -> Prospects:
    enough = band.recommended(of_people=True).budget
    worth = frontier.worth_within(pairs.units_within(enough, len(pairs)))
    reached = frontier.reached(worth)
    right = np.maximum(reached.probability, 1 - reached.probability)
    return Prospects(frontier.start, right, reached.units)


__all__ = ["Labels", "Planned", "Portion", "Prospects", "make_forecast"]


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
