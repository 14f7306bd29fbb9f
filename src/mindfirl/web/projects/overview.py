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
from mindfirl.core.review.agreement import Agreement
from mindfirl.core.review.agreement_summary import OfTwo, Opened, Summary, summary
from mindfirl.core.values.schema import LEVELS, MASKED, Level
from mindfirl.services.plan.stopping import Stopping, if_stopped
from mindfirl.store.queries.reviews import decided_by_hour, levels_of
from mindfirl.store.queries.votes import names_of, votes_of
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page
from mindfirl.web.page.figures import coefficient, count, percent, whole_percent
from mindfirl.web.page.time_chart import TimeChart, time_chart

ENOUGH: Final = 10
"""Of fewer pairs nothing can be told."""
_OPENED: Final[dict[Opened, Any]] = {
    "nothing": gettext_lazy("Nothing, by anybody"),
    "some": gettext_lazy("Some of it"),
    "everything": gettext_lazy("Everything, by all"),
}
_TONES: Final = 5
_NEAR: Final = 0.99


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
        "%(pairs)s pair was decided by two people or more.",
        "%(pairs)s pairs were decided by two people or more.",
        found.pairs,
    ) % {"pairs": count(found.pairs)}
    observed = found.sides.observed
    if observed.units >= ENOUGH and observed.estimate is not None:
        same = _("Of two answers to the same pair, %(share)s are the same.")
        return f"{pairs} {same % {'share': whole_percent(observed.estimate)}}"
    few = _("That is too few to tell whether they agree: figures stand here from %(enough)s on.")
    if observed.units < found.pairs:
        few = _(
            "On %(units)s of them two or more could tell. "
            "That is too few to tell whether they agree: figures stand here from %(enough)s on."
        )
    return f"{pairs} {few % {'units': count(observed.units), 'enough': count(ENOUGH)}}"


def _cannot_tell(answers: int) -> str:
    if not answers:
        return ""
    return ngettext(
        "%(answers)s answer is “cannot tell”: left out, except in the column that counts it.",
        "%(answers)s answers are “cannot tell”: left out, except in the column that counts them.",
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
        "Fleiss’ κ leaves out %(pairs)s pair that fewer or more people decided than most.",
        "Fleiss’ κ leaves out %(pairs)s pairs that fewer or more people decided than most.",
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
        return Figure(_("not defined: all say the same"))
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
class OverviewPart:
    stopping: list[str]
    undecided: str
    heat: HeatMap
    decided: TimeChart | None


def project_overview(request: Request) -> HttpResponse:
    return page(request, "projects/overview_live.html", overview_part(request))


def overview_part(request: Request) -> OverviewPart:
    stopping = if_stopped(project=request.project, actor=request.actor)
    return OverviewPart(
        stopping=stopping_words(stopping),
        undecided=undecided_words(stopping),
        heat=heat_map(levels_of(request.project)),
        decided=time_chart(decided_by_hour(request.project)),
    )


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
        return _("Pairs that nobody has decided go by their weights, here and in linking.")
    return _(
        "Pairs that nobody has decided go by their weights here; linking leaves such pairs apart, "
        "unless the thresholds are moved first."
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
        rows=[(name, _heat_row(each)) for name, each in levels.items()],
        all=_heat_row(total),
        opened=opened,
        opened_words=_("%(opened)s of %(cells)s cells stand above masked (%(share)s).")
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
