"""How much to review: amounts of pairs, what each leads to, and the thresholds that send them."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.review.review_amounts import amounts_offered
from mindfirl.engine.bands.burden import Bands
from mindfirl.services import pairs as candidates
from mindfirl.services.plan.amounts import Amount, amounts_of_bands
from mindfirl.services.plan.plans import plan_of
from mindfirl.web.http.access import Request
from mindfirl.web.page import figures
from mindfirl.web.page.amount_words import amount_words
from mindfirl.web.pairs.weight_histogram import typed_bands
from mindfirl.workspace.open_pairs import OpenPairs
from mindfirl.workspace.outcomes.linkage_errors import errors_at

OWN = "own"
"""The choice of thresholds, or of a number, that is none of those offered."""


@dataclass(frozen=True, slots=True)
class OfferedAmount:
    """An amount to choose: the thresholds that send it to people, what it takes and leads to."""

    key: str
    words: str
    lower: str
    upper: str
    time: str
    false_links: str
    missed: str
    f1: str
    pairs: int
    hours: str


@dataclass(frozen=True, slots=True)
class Amounts:
    """The amounts that are offered, and what the thresholds on the page come to."""

    rows: tuple[OfferedAmount, ...]
    own: OfferedAmount
    chosen: str
    reviews: int
    uncertain: int

    @property
    def shown(self) -> str:
        """What the page shows as chosen: only what differs from it was asked for."""
        return f"{self.chosen} {self.own.pairs} {self.own.hours}"


class AmountForm(forms.Form):
    """A number of pairs or of hours that somebody types, or one of the amounts on offer."""

    pairs = forms.IntegerField(
        min_value=0,
        max_value=10**9,
        error_messages={
            "required": gettext_lazy("Enter a number of pairs."),
            "invalid": gettext_lazy("Enter a whole number of pairs, in digits."),
        },
    )
    hours = forms.FloatField(
        min_value=0,
        max_value=10**6,
        error_messages={
            "required": gettext_lazy("Enter a number of hours."),
            "invalid": gettext_lazy("Enter a number of hours, such as 20."),
        },
    )


def typed_number(name: str, typed: str) -> float:
    """Read a number of pairs or of hours; raises :class:`forms.ValidationError`."""
    return float(AmountForm.base_fields[name].clean(typed))


def bands_of_number(request: Request, opened: OpenPairs, name: str, typed: str) -> Bands:
    """Return the thresholds that send as many pairs to people as were asked for."""
    number = typed_number(name, typed)
    if name == "hours":
        number = candidates.pairs_in_hours(request.project, number)
    return _bands_of(opened, int(number), candidates.usual_bands(opened))


def _bands_of(opened: OpenPairs, number: int, usual: Bands) -> Bands:
    band = int(opened.settle(usual).sent.sum())
    return usual if number == band else opened.snapped(candidates.bands_for(opened, number))


def _offered(opened: OpenPairs, plan: ReviewPlan) -> dict[int, Bands]:
    """Return the amounts on offer, each with its thresholds.

    Where votes are evidence, pairs that nobody reviews are linked by weight in any case: then
    nothing is reviewed at the usual thresholds.
    """
    usual = candidates.usual_bands(opened)
    band = int(opened.settle(usual).sent.sum())
    found = {number: _bands_of(opened, number, usual) for number in amounts_offered(band)}
    return found | ({0: usual} if plan.rule == "evidence" else {})


def is_nothing(request: Request) -> bool:
    """Say whether somebody chose that nothing is reviewed."""
    return request.POST.get("amount") == "0"


def asked_bands(request: Request, opened: OpenPairs) -> Bands | None:
    """Return the thresholds of what was chosen or typed since the page was drawn, if anything."""
    chosen, pairs, hours = request.POST.get("shown", "").split() or ("", "", "")
    if (picked := request.POST.get("amount", chosen)) not in (chosen, OWN):
        if picked == "0":
            return _offered(opened, _plan(request))[0]
        return bands_of_number(request, opened, "pairs", picked)
    for name, before in (("pairs", pairs), ("hours", hours)):
        if (typed := request.POST.get(name, before)) != before:
            return bands_of_number(request, opened, name, typed)
    return None


def offers_amounts(opened: OpenPairs) -> bool:
    """Say whether the page offers amounts: not where the model cannot tell matches from others."""
    return errors_at(opened.scoring).tell


def amounts_page(request: Request, opened: OpenPairs, shown: Bands) -> Amounts | None:
    if not offers_amounts(opened):
        return None
    plan = _plan(request)
    offered, bands = _offered(opened, plan), opened.snapped(shown)
    rows = tuple(_row(request, opened, plan, each, str(key)) for key, each in offered.items())
    # Nothing and everything can have the same thresholds: then everything is meant.
    chosen = next((str(key) for key in reversed(offered) if offered[key] == bands), OWN)
    own = _row(request, opened, plan, bands, OWN)
    return Amounts(rows, own, chosen, plan.reviews, max(offered))


def own_amount(request: Request, opened: OpenPairs, shown: Bands) -> OfferedAmount:
    """Say what any thresholds lead to."""
    return _row(request, opened, _plan(request), opened.snapped(shown), OWN)


def _plan(request: Request) -> ReviewPlan:
    plan, _revision = plan_of(project=request.project, actor=request.actor)
    return plan


def _row(
    request: Request, opened: OpenPairs, plan: ReviewPlan, bands: Bands, key: str
) -> OfferedAmount:
    nothing, everything = amounts_of_bands(
        project=request.project, actor=request.actor, plan=plan, bands=bands
    )
    amount = nothing if key == "0" else everything
    typed = typed_bands(opened.shown_weights, bands)
    return OfferedAmount(
        key=key,
        words=_words(amount, opened, bands),
        lower=f"{typed.lower:.12g}",
        upper=f"{typed.upper:.12g}",
        pairs=amount.pairs,
        hours=f"{amount.decisions / figures.PAIRS_AN_HOUR:.1f}".removesuffix(".0"),
        **asdict(amount_words(amount)),
    )


def _words(amount: Amount, opened: OpenPairs, bands: Bands) -> str:
    if not amount.pairs:
        return _("Nothing")
    if bands == candidates.usual_bands(opened):
        return _("All %(pairs)s uncertain pairs") % {"pairs": figures.count(amount.pairs)}
    return figures.pairs(amount.pairs)
