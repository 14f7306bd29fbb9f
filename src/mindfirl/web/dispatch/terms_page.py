"""The terms of a dispatch in words: who gets what, what is frozen, and what to mind before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mindfirl.core.review.plan import PersonPlan, ReviewPlan
from mindfirl.core.risk.percent import WHOLE, write_percent
from mindfirl.engine.pairs.candidates import OUTSIDE
from mindfirl.services.plan.estimates import Estimate
from mindfirl.store.models import Project, Scoring
from mindfirl.web.page.expected_errors import ErrorsInWords, in_one_line
from mindfirl.web.page.figures import count, pairs, percent, short_date, weight
from mindfirl.web.page.labels import label
from mindfirl.web.plan import forms as plan_forms
from mindfirl.web.plan.estimates import bought, left_over


@dataclass(frozen=True, slots=True)
class Proposal:
    """A dispatch that is proposed, or could be: its plan, its pairs, and what they could cost."""

    project: Project
    scoring: Scoring
    plan: ReviewPlan
    pairs: int
    quality: int
    answers: int
    gold: int
    ahead: Estimate
    names: dict[str, str]
    """The names of people by the ids of their accounts."""
    managers: frozenset[str]
    errors: ErrorsInWords
    recommended: int | None
    """The budget that a reliable forecast recommends, in 10⁻⁹."""

    @property
    def total(self) -> int:
        """How many pairs go out, with those that check software, answers and reviewers."""
        return self.pairs + self.quality + self.answers + self.gold

    def name(self, person: PersonPlan) -> str:
        return self.names.get(person.account, _("a person who left"))


def lead(given: Proposal) -> str:
    words = ngettext(
        "%(pairs)s, each reviewed by %(reviews)s of %(workers)s worker.",
        "%(pairs)s, each reviewed by %(reviews)s of %(workers)s workers.",
        len(given.plan.workers),
    )
    return words % {
        "pairs": pairs(given.total),
        "reviews": given.plan.reviews,
        "workers": len(given.plan.workers),
    }


def people(given: Proposal) -> list[tuple[str, Any, str, str, str]]:
    """List who gets how many pairs, within which budget, and what that buys."""
    sizes = {each.account: each.pairs for each in given.ahead.workers}
    return [
        (
            given.name(person),
            plan_forms.ROLE_WORDS[person.role],
            count(sizes.get(person.account, 0)) if person.role == "worker" else "–",
            f"{write_percent(person.budget)}%",
            bought(given.ahead, person.budget) if given.ahead.priced else "–",
        )
        for person in given.plan.people
    ]


def facts(given: Proposal) -> list[tuple[str, str]]:
    return [*_about_pairs(given), *_about_risk(given), *_about_project(given)]


def _between(given: Proposal) -> str:
    """Say how many pairs are for people, and which weights they have; a threshold can have none."""
    lower, upper = given.scoring.lower, given.scoring.upper
    if lower <= -OUTSIDE and upper >= OUTSIDE:
        words = _("%(pairs)s, of any weight")
    elif lower <= -OUTSIDE:
        words = _("%(pairs)s, of weights up to %(upper)s")
    elif upper >= OUTSIDE:
        words = _("%(pairs)s, of weights from %(lower)s")
    else:
        words = _("%(pairs)s, of weights from %(lower)s to %(upper)s")
    return words % {"pairs": count(given.pairs), "lower": weight(lower), "upper": weight(upper)}


def _about_pairs(given: Proposal) -> Iterator[tuple[str, str]]:
    plan, scoring = given.plan, given.scoring
    version = scoring.version
    words = _("version %(number)s, %(records)s records")
    yield _("Import"), words % {"number": version.number, "records": count(version.records)}
    yield _("Pairs for people"), _between(given)
    if plan.most_pairs is not None:
        yield _("Maximum"), count(plan.most_pairs)
    if given.ahead.priced and given.ahead.left.pairs:
        chosen = _("%(order)s: %(how)s. %(left)s")
        yield (
            _("How they are chosen"),
            chosen
            % {
                "order": plan_forms.PRIORITIES[plan.priority],
                "how": _chosen(plan, by_forecast=given.ahead.left.by_forecast),
                "left": left_over(given.ahead),
            },
        )
    if given.quality:
        words = _("%(pairs)s pairs of the automatic bands, mixed in")
        yield _("Quality sample"), words % {"pairs": count(given.quality)}
    if given.answers:
        words = _("%(pairs)s pairs with an answer from elsewhere, among the rest")
        yield _("Check of known answers"), words % {"pairs": count(given.answers)}
    if given.plan.gold_pairs:
        words = _("%(pairs)s pairs with a known answer, among the rest")
        yield _("Check of reviewers (gold pairs)"), words % {"pairs": count(given.gold)}
    yield _("Expected errors if linked now"), in_one_line(given.errors)
    yield _("Reviews of each pair"), str(plan.reviews)
    yield _("Resolved by"), str(plan_forms.RULES[plan.rule])
    yield _("Due"), plan.due or _("no due date")


def _about_risk(given: Proposal) -> Iterator[tuple[str, str]]:
    plan = given.plan
    yield _("Minimum group size (κ)"), count(plan.kappa)
    yield _("Cells start"), _starting(given)
    yield _("Prices"), _PRICES[plan.prices]()
    yield _("Accounting"), str(plan_forms.ACCOUNTINGS[plan.accounting])
    yield _("Swapped day and month"), str(plan_forms.DATE_SWAPS[plan.date_swaps])
    yield _("Frequencies"), _("shown in bands") if plan.frequency_bands else _("not shown")
    yield _("Suggestions"), _HINTS[plan.hints]()
    limit = plan.project_limit
    yield (
        _("Limit for all together"),
        _("none") if limit is None else f"{write_percent(limit)}%",
    )


_CHOSEN: Final = {
    "worth": lambda: _("pairs that people are expected to decide better than the weights"),
    "uncertain": lambda: _("pairs whose weights are nearest to even odds"),
    "stratified": lambda: _("the same number of pairs from each of ten ranges of weight"),
    "sample": lambda: _("pairs drawn at random with equal chance"),
}


def _chosen(plan: ReviewPlan, *, by_forecast: bool) -> str:
    """Say how pairs are chosen; what they cost matters only where a forecast says it."""
    found = _CHOSEN[plan.priority]()
    if plan.priority != "worth":
        return found
    if plan.prices == "exact" and by_forecast:
        words = _("%(found)s; if budgets are too small for all, those that disclose least")
        found = words % {"found": found}
    ground = (
        _("according to the forecast")
        if by_forecast
        else _("according to their weights, because this plan has no forecast")
    )
    return f"{found}; {ground}"


_PRICES: Final = {
    "exact": lambda: _("workers see the exact share of their budget"),
    "banded": lambda: _("workers see prices rounded up to 1, 2 or 5 times a power of ten"),
}

_HINTS: Final = {
    False: lambda: _("off"),
    True: lambda: _("on: reviewers see which cell is most worth opening next"),
}


def _starting(given: Proposal) -> str:
    if not given.plan.starting:
        return _("masked; nothing is charged before the first opening")
    levels = ", ".join(
        f"{label(name)} {str(plan_forms.LEVEL_WORDS[level]).lower()}"
        for name, level in given.plan.starting
    )
    if not given.ahead.priced:
        return _("%(levels)s, others masked; charged at the start") % {"levels": levels}
    words = _("%(levels)s, others masked; charged at the start: %(share)s of K")
    return words % {"levels": levels, "share": percent(given.ahead.starting)}


def _about_project(given: Proposal) -> Iterator[tuple[str, str]]:
    project = given.project
    yield _("Purpose"), project.purpose or _("not stated")
    yield _("Legal basis"), project.legal_basis or _("not stated")
    yield _("Approval number"), project.approval or "–"
    yield (
        _("Project ends"),
        short_date(project.ends) if project.ends else _("not stated"),
    )
    yield _("Guidance"), given.plan.guidance or _("none")


def _small_budgets(given: Proposal) -> Iterator[str]:
    """Name workers whose budget is below the recommended one, or else below all at partial."""
    words = _("The budget of %(name)s %(bought)s: some decisions may have to rely on masked cells.")
    enough = given.recommended
    if enough is not None:
        words = _(
            "The budget of %(name)s is below the %(recommended)s%% that the forecast recommends."
        )
    for person in given.plan.workers:
        if (
            person.budget / WHOLE < given.ahead.partial
            if enough is None
            else person.budget < enough
        ):
            yield words % {
                "name": given.name(person),
                "bought": bought(given.ahead, person.budget),
                "recommended": write_percent(enough or 0),
            }


def warnings(given: Proposal) -> Iterator[str]:
    if given.ahead.priced:
        yield from _small_budgets(given)
    words = _(
        "%(name)s is a manager of this project and reviews in it. The report will state this."
    )
    for account in dict.fromkeys(person.account for person in given.plan.people):
        if account in given.managers:
            yield words % {"name": given.names.get(account, "")}
    if not any(person.role == "adjudicator" for person in given.plan.people):
        yield _(
            "No adjudicator: pairs on which reviews disagree cannot be settled until you add one."
        )
    if not given.project.purpose:
        yield _(
            "The purpose of the project is not stated. Enter it in the Settings; the report "
            "needs it."
        )
    if not given.project.ends:
        yield _("The project has no last day. Nobody will be reminded to close it.")
