"""Forecasts in words and figures: what budgets buy, in three sentences and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.forecast import frontier
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.risk.percent import WHOLE, write_percent
from mindfirl.store import models
from mindfirl.store.queries.plans import figures_of, is_stale
from mindfirl.web.page.figures import accuracy, count, percent
from mindfirl.web.plan.smaller_budgets import needed_budget, smaller_budgets

LOSSES: Final = ("0.5", "1", "2", "5")
USUAL_LOSS: Final = f"{frontier.WITHIN * 100:g}"

_BUDGETS: Final = (0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5, 1.0)
_FEW: Final = 9.95
_NOTHING: Final = 0.0005
"""Less than this share of accuracy is not told from none."""

POLICIES: Final = {
    "all masked": gettext_lazy("all masked"),
    "all partial": gettext_lazy("all partial"),
    "differing full": gettext_lazy("differing cells full"),
    "all full": gettext_lazy("all full"),
    "step by step": gettext_lazy("step by step"),
    "until sure": gettext_lazy("until sure"),
    "cheapest first": gettext_lazy("cheapest first"),
    "random order": gettext_lazy("in random order"),
}
PARTS: Final = {
    "band": gettext_lazy("All pairs for people"),
    "hard": gettext_lazy("Pairs that are hard when masked"),
}


class Row(NamedTuple):
    policy: str
    point: frontier.Point


def loss_of(points: str) -> float:
    """Read a loss that was chosen; the usual one where it is none of those that can be."""
    return float(points if points in LOSSES else USUAL_LOSS) / 100


@dataclass(frozen=True, slots=True)
class ForecastWords:
    made: datetime
    warnings: list[str]
    notes: list[str]
    sentences: list[str]
    smaller: list[str]
    loss: str
    losses: list[tuple[str, str]]
    budget: str
    rows: list[tuple[Any, frontier.Point, str, str]]
    achieved: bool


def forecast_words(made: models.Forecast, plan: ReviewPlan, *, points: str) -> ForecastWords:
    figures, chosen = figures_of(made), points if points in LOSSES else USUAL_LOSS
    budget = figures.recommended_budget(loss_of(chosen))
    return ForecastWords(
        made=made.created,
        warnings=[*_promises(made, figures), *_outdated(made, figures, plan)],
        notes=list(_notes(made, figures)),
        sentences=sentences(figures, loss_of(chosen)),
        smaller=smaller_budgets(figures, loss_of(chosen)),
        loss=chosen,
        losses=[(each, _points(float(each) / 100)) for each in LOSSES],
        budget=f"{write_percent(budget)}%" if budget else "",
        rows=[
            (POLICIES[policy], point, _characters(point.characters), achieved(point))
            for policy, point in rows(figures.band, baselines=False)
        ],
        achieved=figures.source != "made up",
    )


def marked(figures: frontier.Forecast, loss: float) -> frontier.Point | None:
    """Return the point that a chart marks: the smallest budget that does, as it is proposed."""
    if not figures.promises:
        return None
    wanted, budget = (
        figures.band.recommended(loss, of_people=True),
        figures.recommended_budget(loss),
    )
    return replace(wanted, budget=budget / WHOLE) if budget else wanted


def right(point: frontier.Point) -> str:
    return _("people are expected to decide %(share)s correctly") % {
        "share": accuracy(point.people)
    }


def sentences(figures: frontier.Forecast, loss: float) -> list[str]:
    """Answer in three sentences: the smallest budget that does, what 1% more brings, what κ costs.

    All are about people. Where too little is known for that, say only what needs no answers.
    """
    band = figures.band
    if not figures.promises:
        return [_unsupported(band)]
    wanted = band.recommended(loss, of_people=True)
    return [_enough(band, wanted, loss), _next_percent(band, wanted), _kappas(figures)]


def remarks(made: models.Forecast) -> list[str]:
    figures = figures_of(made)
    return [*_promises(made, figures), *_notes(made, figures)]


def rows(part: frontier.ForecastPart, *, baselines: bool = True) -> Iterator[Row]:
    """List what fixed levels buy, then what budgets do, with the baselines beside them if asked."""
    for policy in frontier.FIXED:
        yield from (Row(policy, point) for point in part.policies.get(policy, ())[:1])
    for policy in (frontier.STEP_BY_STEP, *(frontier.BASELINES if baselines else ())):
        yield from _at_budgets(policy, part.policies.get(policy, ()))


def _at_budgets(policy: str, points: tuple[frontier.Point, ...]) -> Iterator[Row]:
    """Take the dearest point within each of the budgets, none of them twice."""
    within = (
        max(
            (each for each in points if each.budget <= budget),
            key=lambda each: each.budget,
            default=None,
        )
        for budget in _BUDGETS
    )
    yield from (Row(policy, point) for point in dict.fromkeys(within) if point)


def _enough(band: frontier.ForecastPart, wanted: frontier.Point, loss: float) -> str:
    near = band.within(loss, of_people=True)
    if not wanted.budget and not near:
        words = _(
            "No opening is expected to change an answer. People are expected to decide %(right)s "
            "of the pairs correctly when everything is masked, and %(all)s when everything is "
            "shown, because people make fewer slips with readable values."
        )
    elif not wanted.budget:
        words = _(
            "Nothing needs to be opened. People are expected to decide %(right)s of the pairs "
            "correctly when everything is masked, and %(all)s when everything is shown."
        )
    elif near:
        words = _(
            "A budget of %(budget)s is the smallest within %(loss)s of full disclosure. People "
            "are expected to decide %(right)s of the pairs correctly (%(all)s when everything is "
            "shown), and to see %(characters)s of the %(of)s characters in a pair."
        )
    else:
        words = _(
            "A budget of %(budget)s is the smallest within %(loss)s of the best that single "
            "openings reach. People are expected to decide %(right)s of the pairs correctly "
            "(%(all)s when everything is shown), and to see %(characters)s of the %(of)s "
            "characters in a pair."
        )
    return words % {
        "budget": needed_budget(wanted),
        "right": accuracy(wanted.people),
        "loss": _points(loss),
        "all": accuracy(band.full.people),
        "characters": _characters(wanted.characters),
        "of": _characters(band.full.characters),
    }


def _unsupported(band: frontier.ForecastPart) -> str:
    words = _(
        "No budget is recommended, because that needs pairs with known answers. K is %(partial)s "
        "with every cell at partial, %(differing)s with every differing cell at full, and "
        "%(full)s with every cell at full."
    )
    return words % {
        "partial": percent(band.policies["all partial"][0].budget),
        "differing": percent(band.policies["differing full"][0].budget),
        "full": percent(band.full.budget),
    }


def _next_percent(band: frontier.ForecastPart, now: frontier.Point) -> str:
    gain = band.next_percent(now.budget, of_people=True)
    if gain < _NOTHING:
        return _("One percent more budget is not expected to improve accuracy.")
    return _("One percent more budget is expected to add %(gain)s of accuracy.") % {
        "gain": _points(gain)
    }


def _kappas(figures: frontier.Forecast) -> str:
    """Say what it takes at other κ to do as well as the usual budget does."""
    here = figures.band.recommended(of_people=True)
    if not here.budget:
        return _("κ has no cost while nothing is opened.")
    if not figures.kappas:
        return _("The cost of another κ was not calculated.")
    found = sorted(figures.kappas.items())
    reached = [
        _("%(budget)s at κ = %(kappa)d") % {"kappa": kappa, "budget": needed_budget(point)}
        for kappa, point in found
        if point
    ]
    if not reached:
        words = _(
            "With κ = %(never)s, no budget reaches the accuracy of %(budget)s at κ = %(kappa)d."
        )
    elif len(reached) == len(found):
        words = _("The accuracy of %(budget)s at κ = %(kappa)d takes %(reached)s.")
    else:
        words = _(
            "The accuracy of %(budget)s at κ = %(kappa)d takes %(reached)s. With κ = %(never)s, "
            "no budget reaches it."
        )
    return words % {
        "budget": needed_budget(here),
        "kappa": figures.kappa,
        "reached": ", ".join(reached),
        "never": ", ".join(str(kappa) for kappa, point in found if not point),
    }


def _promises(made: models.Forecast, figures: frontier.Forecast) -> Iterator[str]:
    """Say that a forecast is not reliable, if so, and what to do."""
    if figures.promises:
        return
    made_up = figures.source == "made up"
    learnt = _("trained on synthetic people") if made_up else _("trained on too few pairs")
    words = _(
        "Rough guide only: %(learnt)s. A reliable forecast needs %(needed)d pairs with known "
        "answers; you have %(known)s. Let two people review %(needed)d pairs or more, drawn at "
        "random, or give a truth file to mindfirl plan forecast; then recalculate."
    )
    known = count(made.reviewed if made_up else figures.labelled)
    yield words % {"learnt": learnt, "needed": frontier.ENOUGH, "known": known}


def _notes(made: models.Forecast, figures: frontier.Forecast) -> Iterator[str]:
    labelled = {"labelled": count(figures.labelled)}
    if figures.promises and figures.source == "truth":
        words = _("Trained on %(labelled)s pairs of this project with answers from a truth file.")
        yield words % labelled
    elif figures.promises:
        words = _("Trained on %(labelled)s pairs of this project that were reviewed twice.")
        yield words % labelled
    if figures.reference:
        words = _(
            "Calculated from %(reference)s reference pairs of these databases and rounded. It "
            "does not depend on the pairs you choose, because that could reveal something about "
            "single pairs."
        )
        yield words % {"reference": count(figures.reference)}
    elif figures.band.pairs < made.pairs:
        words = _("Based on %(some)s pairs drawn from the %(all)s pairs for people.")
        yield words % {"all": count(made.pairs), "some": count(figures.band.pairs)}


def _outdated(made: models.Forecast, figures: frontier.Forecast, plan: ReviewPlan) -> Iterator[str]:
    if is_stale(made):
        yield _("Out of date: the pairs or the thresholds have changed. Recalculate it.")
    if not figures.is_for(plan):
        yield _("Out of date: κ, accounting or prices in the plan have changed. Recalculate it.")


def achieved(point: frontier.Point) -> str:
    """Write what was achieved where the truth is known, and how far that may be off."""
    if point.achieved is None:
        return "–"
    shown = accuracy(point.achieved)
    return shown if point.margin is None else f"{shown} ± {_decimal(point.margin * 100)}"


def _points(gain: float) -> str:
    number = _decimal(gain * 100)
    shown = number.removesuffix(".0").removesuffix(",0")
    return ngettext("%(n)s point", "%(n)s points", 1 if shown == "1" else 2) % {"n": shown}


def _characters(number: float) -> str:
    """Write how many characters of a pair, with a decimal where they are few."""
    return _decimal(number) if 0 < number < _FEW else count(round(number))


def _decimal(number: float) -> str:
    return str(number_format(round(number, 1), 1))
