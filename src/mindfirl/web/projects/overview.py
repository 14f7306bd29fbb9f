"""How the review of a project goes: what is open, when it was decided, whether people agree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.http import HttpResponse
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from mindfirl.core.forecast.stopping import Tally
from mindfirl.core.values.schema import LEVELS, MASKED, Level
from mindfirl.services.plan.stopping import Stopping, if_stopped
from mindfirl.store.queries.reviews import decided_by_hour, levels_of
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page
from mindfirl.web.page.figures import count, percent
from mindfirl.web.page.time_chart import TimeChart, time_chart

_TONES: Final = 5
_NEAR: Final = 0.99


@dataclass(frozen=True, slots=True)
class HeatCell:
    """How many cells are at a level, their share, and how strongly that is drawn."""

    level: Level
    cells: str
    share: str
    tone: int


@dataclass(frozen=True, slots=True)
class HeatMap:
    """How many cells of each attribute are at each level, and of all of them."""

    rows: list[tuple[str, list[HeatCell]]]
    all: list[HeatCell]
    opened: int
    opened_words: str


@dataclass(frozen=True, slots=True)
class OverviewPart:
    """What stopping now would come to, what is open, and when it was decided."""

    stopping: list[str]
    heat: HeatMap
    decided: TimeChart | None


def project_overview(request: Request) -> HttpResponse:
    return page(request, "projects/overview_live.html", overview_part(request))


def overview_part(request: Request) -> OverviewPart:
    return OverviewPart(
        stopping=stopping_words(if_stopped(project=request.project, actor=request.actor)),
        heat=heat_map(levels_of(request.project)),
        decided=time_chart(decided_by_hour(request.project)),
    )


def stopping_words(found: Stopping | None) -> list[str]:
    """Say what stopping now, and finishing, are expected to come to; nothing without a review."""
    if found is None:
        return []
    return [
        _("If you stopped now: expected precision %(precision)s, recall %(recall)s.")
        % _quality(found.now),
        _("If everything is reviewed: expected precision %(precision)s, recall %(recall)s.")
        % _quality(found.finished),
    ]


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
        rows=[(name, _row(each)) for name, each in levels.items()],
        all=_row(total),
        opened=opened,
        opened_words=_("%(opened)s of %(cells)s cells stand above masked (%(share)s).")
        % {
            "opened": count(opened),
            "cells": count(cells),
            "share": percent(opened / cells if cells else 0.0),
        },
    )


def _row(levels: Mapping[Level, int]) -> list[HeatCell]:
    cells = sum(levels.values()) or 1
    return [
        HeatCell(level, count(number), percent(number / cells), _tone(number / cells))
        for level, number in levels.items()
    ]


def _tone(share: float) -> int:
    """Return one of five tones: even a few cells are seen, so they go by the root of the share."""
    return math.ceil(math.sqrt(share) * _TONES)
