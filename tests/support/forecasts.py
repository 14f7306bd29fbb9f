"""Forecasts for tests of what shows them: made by hand, and kept as if they had been made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pyarrow as pa
from django.db import transaction
from django.utils import timezone

from mindfirl.core.forecast import frontier as planner
from mindfirl.core.forecast.frontier import ForecastPart, Point
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.review.plan import Terms
from mindfirl.engine.bands.prospects import Prospects, prospect_table
from mindfirl.engine.pairs.candidates import Candidates, Positions, candidates_of
from mindfirl.planner.forecasting import Labels, Planned
from mindfirl.planner.suggestions import Adviser
from mindfirl.store import vault
from mindfirl.store.models import Forecast, Project, SealedFile
from mindfirl.store.queries.plans import planned, scoring_of
from mindfirl.workspace.verification.ledger_of_pairs import tell_forecast

TERMS = ("kappa", "accounting", "prices")
BUDGETS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
RIGHT = (0.8, 0.84, 0.88, 0.895, 0.899, 0.9)
"""How often people are right at these budgets; 0.75 when all is masked, 0.9 when all is shown."""


def point(budget: float, people: float, *, known: bool = True) -> Point:
    """A point of a frontier, on which the machine reviewer is right more often than people."""
    machine = people + 0.07
    return Point(
        budget=budget,
        characters=400 * budget,
        accuracy=machine,
        people=people,
        precision=machine - 0.01,
        recall=machine - 0.02,
        balanced=machine - 0.015,
        undecided=1 - machine,
        achieved=machine - 0.004 if known else None,
        margin=0.012 if known else None,
    )


def made_by_hand(**changes: Any) -> planner.Forecast:
    """A forecast of 320 pairs, whatever is said otherwise."""
    known = changes.get("source", "truth") != "made up"
    labelled = changes.setdefault("labelled", 320 if known else 0)
    pairs = changes.pop("pairs", 320)
    policies = {
        "all masked": (point(0, 0.75, known=known),),
        "all partial": (point(0.03, 0.82, known=known),),
        "differing full": (point(0.15, 0.88, known=known),),
        "all full": (point(0.4, 0.9, known=known),),
        "step by step": tuple(
            point(*each, known=known) for each in zip(BUDGETS, RIGHT, strict=True)
        ),
        "until sure": tuple(
            point(3 * budget, people, known=known)
            for budget, people in zip(BUDGETS, RIGHT, strict=True)
        ),
    }
    return planner.Forecast(
        **{
            "source": "truth",
            "attributes": ("name",),
            "kappa": 1,
            "accounting": "paper",
            "prices": "exact",
            "parts": {
                "band": ForecastPart(pairs, labelled, 0.4, policies),
                "hard": ForecastPart(pairs // 4, labelled // 4, 0.5, policies),
            },
            "kappas": {5: point(0.06, 0.89), 10: None},
            **changes,
        }
    )


def keep(project: Project, figures: planner.Forecast | None = None, **changes: Any) -> Forecast:
    """Keep a forecast of a project's pairs as they are now."""
    scoring, figures = scoring_of(project), figures or made_by_hand()
    assert scoring is not None
    adviser = vault.seal(project, "adviser", pa.table({"worth": [1.0]}))
    fields = {
        "version": scoring.version,
        "created": timezone.now(),
        "scoring": scoring,
        "lower": scoring.lower,
        "upper": scoring.upper,
        "pairs": figures.band.pairs,
        "reviewed": 0,
        "content": planner.forecast_to_json(figures),
        "adviser": adviser,
        **changes,
    }
    with transaction.atomic():
        vault.record([adviser])
        Forecast.objects.filter(version=scoring.version).delete()
        kept = Forecast.objects.create(**fields)
        tell_forecast(kept, COMMAND_LINE)
    return kept


@dataclass
class Engine:
    """In the place of what learns, which takes long: it notes what it is asked, and answers."""

    asked: list[dict[str, Any]] = field(default_factory=list)

    def __call__(
        self, index: PopulationIndex, left: Positions, right: Positions, labels: Labels, **more: Any
    ) -> Planned:
        self.asked.append({"index": index, "left": left, "right": right, "labels": labels, **more})
        more["progress"]("learning", 1, 2)
        terms: Terms = more["terms"]
        figures = made_by_hand(
            source=more["source"],
            labelled=len(labels.numbers),
            attributes=index.schema.names,
            kappa=terms.kappa,
            accounting=terms.accounting,
            prices=terms.prices,
            pairs=len(left),
        )
        size = len(left)
        prospects = Prospects(np.full(size, 0.5), np.full(size, 0.9), np.arange(size))
        return Planned(figures, cast("Adviser", Kept()), prospects)


def foresee(project: Project, prospects: Callable[[Candidates], Prospects]) -> Forecast:
    """Give a project a forecast that expects something of each candidate."""
    scoring = scoring_of(project)
    assert scoring is not None
    plan = planned(project)
    found = candidates_of(vault.unseal(scoring.candidates))
    file = vault.seal(
        project, "prospects", prospect_table(found.left, found.right, prospects(found))
    )
    vault.record([file])
    terms = {} if plan is None else {n: getattr(plan[0], n) for n in TERMS}
    return keep(project, made_by_hand(**terms), prospects=SealedFile.objects.get(name=file.name))


class Kept:
    """What is kept of an adviser."""

    def table(self) -> pa.Table:
        return pa.table({"worth": [1.0]})
