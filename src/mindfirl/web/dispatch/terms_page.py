"""The terms of a dispatch in words: who gets what, what is frozen, and what to mind before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mindfirl.core.review.plan import PersonPlan, ReviewPlan
from mindfirl.core.risk.percent import WHOLE, write_percent
from mindfirl.services.plan.estimates import Estimate
from mindfirl.store.models import Project, Scoring
from mindfirl.web.page.expected_errors import ErrorsInWords, in_one_line
from mindfirl.web.page.figures import count, pairs, percent, weight
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
    ahead: Estimate
    names: dict[str, str]
    """The names of people by the ids of their accounts."""
    managers: frozenset[str]
    errors: ErrorsInWords
    recommended: int | None
    """The budget that a reliable forecast recommends, in 10⁻⁹."""

    @property
    def total(self) -> int:
        """How many pairs go out, with those that measure the automatic bands."""
        return self.pairs + self.quality

    def name(self, person: PersonPlan) -> str:
        return self.names.get(person.account, _("somebody who left"))


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


def _about_pairs(given: Proposal) -> Iterator[tuple[str, str]]:
    plan, scoring = given.plan, given.scoring
    version = scoring.version
    words = _("version %(number)s, %(records)s records")
    yield _("Import"), words % {"number": version.number, "records": count(version.records)}
    words = _("%(pairs)s, of weights from %(lower)s to %(upper)s")
    shown = {
        "pairs": count(given.pairs),
        "lower": weight(scoring.lower),
        "upper": weight(scoring.upper),
    }
    yield _("Pairs for people"), words % shown
    if plan.most_pairs is not None:
        yield _("At most"), count(plan.most_pairs)
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
        words = _("%(pairs)s pairs of the automatic bands, among the rest")
        yield _("Quality sample"), words % {"pairs": count(given.quality)}
    yield _("Expected errors if linked now"), in_one_line(given.errors)
    yield _("Reviews of each pair"), str(plan.reviews)
    yield _("Resolved by"), str(plan_forms.RULES[plan.rule])
    yield _("Due"), plan.due or _("no due date")


def _about_risk(given: Proposal) -> Iterator[tuple[str, str]]:
    plan = given.plan
    yield _("Smallest k (κ)"), count(plan.kappa)
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
    "stratified": lambda: _("pairs from ten slices of weight, as many of each"),
    "sample": lambda: _("pairs are drawn, each with the same chance"),
}


def _chosen(plan: ReviewPlan, *, by_forecast: bool) -> str:
    """Say how pairs are chosen; what they cost matters only where a forecast says it."""
    found = _CHOSEN[plan.priority]()
    if plan.priority != "worth":
        return found
    if plan.prices == "exact" and by_forecast:
        words = _("%(found)s, and where budgets do not reach, those for which that discloses least")
        found = words % {"found": found}
    ground = (
        _("the forecast says which")
        if by_forecast
        else _("their weights say which, since there is no forecast for this plan")
    )
    return f"{found}; {ground}"


_PRICES: Final = {
    "exact": lambda: _("workers see exactly what an opening takes of their budget"),
    "banded": lambda: _("workers see prices rounded up to 1, 2 or 5 of a power of ten"),
}

_HINTS: Final = {
    False: lambda: _("off"),
    True: lambda: _("on: reviewers see which cell is most worth opening next"),
}


def _starting(given: Proposal) -> str:
    if not given.plan.starting:
        return _("masked; nothing is charged before the first opening")
    levels = ", ".join(
        f"{name} {str(plan_forms.LEVEL_WORDS[level]).lower()}"
        for name, level in given.plan.starting
    )
    if not given.ahead.priced:
        return _("%(levels)s, the rest masked; charged at once") % {"levels": levels}
    words = _("%(levels)s, the rest masked; charged at once: %(share)s of K")
    return words % {"levels": levels, "share": percent(given.ahead.starting)}


def _about_project(given: Proposal) -> Iterator[tuple[str, str]]:
    project = given.project
    yield _("Purpose"), project.purpose or _("not said yet")
    yield _("Legal basis"), project.legal_basis or _("not said yet")
    yield _("Approval number"), project.approval or "–"
    yield _("Project ends"), project.ends.isoformat() if project.ends else _("not said yet")
    yield _("Guidance"), given.plan.guidance or _("none")


def _small_budgets(given: Proposal) -> Iterator[str]:
    """Name workers whose budget is below the recommended one, or else below all at partial."""
    words = _("The budget of %(name)s %(bought)s: they may have to decide on masked cells.")
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
    words = _("%(name)s manages this project and reviews in it. The report will say so.")
    for account in dict.fromkeys(person.account for person in given.plan.people):
        if account in given.managers:
            yield words % {"name": given.names.get(account, "")}
    if not any(person.role == "adjudicator" for person in given.plan.people):
        yield _("There is no adjudicator: pairs on which reviews disagree will have to wait.")
    if not given.project.purpose:
        yield _("The purpose of the project is not said yet. It belongs in the report.")
    if not given.project.ends:
        yield _("The project has no end date. Nothing will remind anybody to close it.")
