"""How the review of a project goes: what is open, when it was decided, whether people agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpResponse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.forecast.measures import Tally
from mindfirl.core.policy import ASSIGNMENT_STATES
from mindfirl.core.review.agreement import Agreement
from mindfirl.core.review.agreement_summary import OfTwo, Opened, Summary, summary
from mindfirl.core.review.reviewer_accuracy import MeasuredShare
from mindfirl.core.values.schema import LEVELS, MASKED, Level
from mindfirl.services.dispatch.assignments import progress_of
from mindfirl.services.plan.reviewer_shares import reviewer_shares
from mindfirl.services.plan.stopping import Stopping, if_stopped
from mindfirl.store.queries.reviews import decided_by_hour, levels_of
from mindfirl.store.queries.votes import names_of, votes_of
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page
from mindfirl.web.page.figures import (
    about,
    coefficient,
    count,
    percent,
    whole_percent,
    working_time,
)
from mindfirl.web.page.labels import label
from mindfirl.web.page.steps import step_page
from mindfirl.web.page.time_chart import TimeChart, time_chart

ENOUGH: Final = 10
"""Of fewer pairs nothing can be told."""
_OPENED: Final[dict[Opened, Any]] = {
    "nothing": gettext_lazy("Nothing opened"),
    "some": gettext_lazy("Some opened"),
    "everything": gettext_lazy("Everything opened by all"),
}
_TONES: Final = 5
_NEAR: Final = 0.99
_WORTH: Final = 1.0
"""With fewer errors to correct, going on is not proposed."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as it is written, with its interval; or in words why there is none."""

    figure: str
    interval: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    pairs: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class AgreementWords:
    pairs: int
    enough: bool
    words: str
    cannot_tell: str
    all: list[tuple[str, tuple[Figure, ...]]]
    left_out: str
    two: list[Row]
    opened: list[Row]


def agreement_words(request: Request) -> AgreementWords:
    found = summary(each.votes for each in votes_of(request.project))
    raters = {rater for each in found.of_two for rater in (each.first, each.second)}
    return _agreement(found, names_of(raters))


def agreement_in_short(request: Request) -> tuple[str, str]:
    """Return Fleiss' κ with its interval, for the page of a project; nothing of too few pairs."""
    found = summary(each.votes for each in votes_of(request.project))
    shown = _as_figure(found.sides.fleiss)
    return (shown.figure, shown.interval) if shown.interval else ("–", "")


def measured_rows(request: Request) -> list[Row]:
    """Say how often each reviewer was right where the answer is known, by their names."""
    found = reviewer_shares(project=request.project, actor=request.actor)
    names = names_of(found)
    rows = [Row(names[who], count(each.judged), _share_right(each)) for who, each in found.items()]
    return sorted(rows, key=lambda row: row.name.casefold())


def _share_right(found: MeasuredShare) -> tuple[Figure, ...]:
    if found.bounds is None:
        return ()
    limits = dict(zip(("low", "high"), map(whole_percent, found.bounds), strict=True))
    share = whole_percent(found.right / found.judged)
    return (Figure(share, _("%(low)s to %(high)s") % limits),)


def _agreement(found: Summary, names: Mapping[str, str]) -> AgreementWords:
    return AgreementWords(
        pairs=found.pairs,
        enough=found.sides.observed.units >= ENOUGH,
        words=_words(found),
        cannot_tell=_cannot_tell(found.cannot_tell),
        all=_all(found),
        left_out=_left_out(found.sides.fleiss),
        two=sorted(
            (_of_two(each, names) for each in found.of_two), key=lambda row: row.name.casefold()
        ),
        opened=[
            _row(str(_OPENED[key]), (each.observed, each.fleiss, each.alpha))
            for key, each in found.opened
        ],
    )


def _of_two(found: OfTwo, names: Mapping[str, str]) -> Row:
    one, other = sorted((names[found.first], names[found.second]), key=str.casefold)
    name = _("%(one)s and %(other)s") % {"one": one, "other": other}
    return _row(name, (found.observed, found.cohen, found.alpha))


def _words(found: Summary) -> str:
    pairs = ngettext(
        "%(pairs)s pair was decided by two or more people.",
        "%(pairs)s pairs were decided by two or more people.",
        found.pairs,
    ) % {"pairs": count(found.pairs)}
    observed = found.sides.observed
    if observed.units >= ENOUGH and observed.estimate is not None:
        same = _("%(share)s of pairs of answers agree.")
        return f"{pairs} {same % {'share': whole_percent(observed.estimate)}}"
    few = _("That is too few to measure agreement: figures are shown from %(enough)s pairs.")
    if observed.units < found.pairs:
        few = _(
            "On %(units)s of them, at least two people could tell. "
            "That is too few to measure agreement: figures are shown from %(enough)s pairs."
        )
    return f"{pairs} {few % {'units': count(observed.units), 'enough': count(ENOUGH)}}"


def _cannot_tell(answers: int) -> str:
    if not answers:
        return ""
    return ngettext(
        "%(answers)s answer is “cannot tell”. It counts only in the column that includes such "
        "answers.",
        "%(answers)s answers are “cannot tell”. They count only in the column that includes such "
        "answers.",
        answers,
    ) % {"answers": count(answers)}


def _all(found: Summary) -> list[tuple[str, tuple[Figure, ...]]]:
    """List the figures of all people together; in a second column with those who cannot tell."""
    sides, answers = found.sides, found.answers
    rows: list[tuple[str, Callable[[Agreement], Figure], tuple[Agreement, ...]]] = [
        (_("Observed agreement"), _as_share, (sides.observed, answers.observed)),
        (_("Fleiss’ κ"), _as_figure, (sides.fleiss, answers.fleiss)),
        (_("Krippendorff’s α"), _as_figure, (sides.alpha, answers.alpha)),
        (_("Krippendorff’s α of the six steps"), _as_figure, (found.steps,)),
    ]
    columns = 2 if found.cannot_tell else 1
    return [(name, tuple(map(write, those[:columns]))) for name, write, those in rows]


def _left_out(fleiss: Agreement) -> str:
    if not fleiss.left_out:
        return ""
    return ngettext(
        "Fleiss’ κ leaves out %(pairs)s pair with a different number of decisions than most.",
        "Fleiss’ κ leaves out %(pairs)s pairs with a different number of decisions than most.",
        fleiss.left_out,
    ) % {"pairs": count(fleiss.left_out)}


def _row(name: str, found: tuple[Agreement, Agreement, Agreement]) -> Row:
    observed, *beyond = found
    if observed.units < ENOUGH:
        return Row(name, count(observed.units), ())
    return Row(name, count(observed.units), (_as_share(observed), *map(_as_figure, beyond)))


def _as_share(found: Agreement) -> Figure:
    return _figure(found, whole_percent)


def _as_figure(found: Agreement) -> Figure:
    if found.units < ENOUGH:
        return Figure(_("too few pairs to tell"))
    return _figure(found, coefficient)


def _figure(found: Agreement, write: Callable[[float], str]) -> Figure:
    if found.estimate is None:
        return Figure(_("not defined: all answers are the same"))
    if found.low is None or found.high is None:
        return Figure(write(found.estimate), _("no interval"))
    limits = {"low": write(found.low), "high": write(found.high)}
    return Figure(write(found.estimate), _("%(low)s to %(high)s") % limits)


@dataclass(frozen=True, slots=True)
class HeatCell:
    level: Level
    cells: str
    share: str
    tone: int


@dataclass(frozen=True, slots=True)
class HeatMap:
    rows: list[tuple[str, list[HeatCell]]]
    all: list[HeatCell]
    opened: int
    opened_words: str


@dataclass(frozen=True, slots=True)
class StoppingPart:
    stopping: list[str]
    answer: str
    undecided: str


@dataclass(frozen=True, slots=True)
class OpenedPart:
    heat: HeatMap
    decided: TimeChart | None
    live: bool


def project_overview(request: Request) -> HttpResponse:
    return page(request, "projects/stopping_live.html", stopping_part(request))


def stopping_part(request: Request) -> StoppingPart:
    found = if_stopped(project=request.project, actor=request.actor)
    return StoppingPart(
        stopping=stopping_words(found),
        answer=stopping_answer(found, decisions_left(request)),
        undecided=undecided_words(found),
    )


def decisions_left(request: Request) -> int:
    found = progress_of(project=request.project, actor=request.actor)
    return sum(
        each.pairs - each.passed_on - each.decided
        for each in found
        if ASSIGNMENT_STATES[each.state]
    )


def opened(request: Request) -> HttpResponse:
    """Say what was opened, attribute by attribute, and when pairs were decided."""
    part = OpenedPart(
        heat=heat_map(levels_of(request.project)),
        decided=time_chart(decided_by_hour(request.project)),
        live=decisions_left(request) > 0,
    )
    if request.htmx:
        return page(request, "projects/opened_live.html", part)
    return step_page(request, "", part, template="projects/opened.html")


def agreement(request: Request) -> HttpResponse:
    """Say whether people agree with each other, and with known answers."""
    return step_page(
        request,
        "",
        template="projects/agreement.html",
        agreement=agreement_words(request),
        measured=measured_rows(request),
    )


def stopping_answer(found: Stopping | None, left: int) -> str:
    """Say whether to go on: what the rest would take, and how many errors it would correct."""
    if found is None:
        return ""
    decisions = left or found.undecided
    corrected, number = about(max(found.now.wrong - found.finished.wrong, 0.0))
    worth = found.now.wrong - found.finished.wrong >= _WORTH
    words = (
        ngettext(
            "Continue: the remaining decisions (%(decisions)s, %(time)s) are expected to correct "
            "%(corrected)s error.",
            "Continue: the remaining decisions (%(decisions)s, %(time)s) are expected to correct "
            "%(corrected)s errors.",
            number,
        )
        if worth
        else ngettext(
            "You can stop: the remaining decisions (%(decisions)s, %(time)s) are expected to "
            "correct %(corrected)s error.",
            "You can stop: the remaining decisions (%(decisions)s, %(time)s) are expected to "
            "correct %(corrected)s errors.",
            number,
        )
    )
    return words % {
        "decisions": count(decisions),
        "time": working_time(decisions),
        "corrected": corrected,
    }


def stopping_words(found: Stopping | None) -> list[str]:
    if found is None:
        return []
    return [
        _("If you stopped now: expected precision %(precision)s, recall %(recall)s.")
        % _quality(found.now),
        _("If everything is reviewed: expected precision %(precision)s, recall %(recall)s.")
        % _quality(found.finished),
    ]


def undecided_words(found: Stopping | None) -> str:
    """Say what linking makes of undecided pairs, which count by their weights here."""
    if found is None or found.by_weight:
        return _("For undecided pairs the weights decide, here and in linking.")
    return _(
        "For undecided pairs the weights decide here. Linking does not link such pairs unless you "
        "move the thresholds first."
    )


def _quality(tally: Tally) -> dict[str, str]:
    return {"precision": _nearly_all(tally.precision), "recall": _nearly_all(tally.recall)}


def _nearly_all(share: float) -> str:
    """Write a share that may be near to all: then more exactly, and never as all."""
    decimals = 2 if share > _NEAR else 1
    shown = min(round(share * 100, decimals), 100 - 10**-decimals)
    return f"{number_format(shown, decimals)}%" if share < 1 else "100%"


def heat_map(levels: Mapping[str, Mapping[Level, int]]) -> HeatMap:
    total = {level: sum(each[level] for each in levels.values()) for level in LEVELS}
    cells = sum(total.values())
    opened = cells - total[LEVELS[MASKED]]
    return HeatMap(
        rows=[(label(name), _heat_row(each)) for name, each in levels.items()],
        all=_heat_row(total),
        opened=opened,
        opened_words=_("%(opened)s of %(cells)s cells are open at least partially (%(share)s).")
        % {
            "opened": count(opened),
            "cells": count(cells),
            "share": percent(opened / cells if cells else 0.0),
        },
    )


def _heat_row(levels: Mapping[Level, int]) -> list[HeatCell]:
    cells = sum(levels.values()) or 1
    return [
        HeatCell(level, count(number), percent(number / cells), _tone(number / cells))
        for level, number in levels.items()
    ]


def _tone(share: float) -> int:
    """Return one of five tones: even a few cells are seen, so they go by the root of the share."""
    return math.ceil(math.sqrt(share) * _TONES)
