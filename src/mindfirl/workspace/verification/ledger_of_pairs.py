"""What the ledger tells of candidate pairs: found or brought, moved, and between which thresholds.

Each is told in the transaction of the caller, which locked the ledger first.
"""

from __future__ import annotations

from mindfirl.core.ledger.project_events import (
    ForecastMade,
    PairsBrought,
    Scored,
    ThresholdsSet,
    WeightsMoved,
)
from mindfirl.core.policy import Actor
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Forecast, Scoring


def thresholds_of(scoring: Scoring) -> tuple[str, str]:
    """Write thresholds as the ledger does: it has whole numbers and texts alone.

    A database may not know a zero below zero.
    """
    return repr(float(scoring.lower) + 0.0), repr(float(scoring.upper) + 0.0)


def tell_scoring(scoring: Scoring, actor: Actor) -> None:
    project = scoring.version.project
    kind = Scored if scoring.model else PairsBrought
    digest = digests_of(project).scoring(scoring)
    told = kind(scoring.version.number, scoring.pairs, *thresholds_of(scoring), digest)
    append(project, actor=actor.name, events=[told])


def tell_thresholds(scoring: Scoring, actor: Actor) -> None:
    told = ThresholdsSet(scoring.version.number, *thresholds_of(scoring))
    append(scoring.version.project, actor=actor.name, events=[told])


def tell_weights(scoring: Scoring, actor: Actor, *, applied: bool) -> None:
    project, change = scoring.version.project, "applied" if applied else "undone"
    digest = digests_of(project).scoring(scoring)
    told = WeightsMoved(scoring.version.number, change, digest)
    append(project, actor=actor.name, events=[told])


def tell_forecast(forecast: Forecast, actor: Actor) -> None:
    project, number = forecast.version.project, forecast.version.number
    told = ForecastMade(number, forecast.pairs, digests_of(project).forecast(forecast))
    append(project, actor=actor.name, events=[told])
