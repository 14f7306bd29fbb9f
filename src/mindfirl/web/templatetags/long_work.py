"""Long work, as a page shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.store.disk import runner_lives
from mindfirl.store.models import Job
from mindfirl.web.page.long_work import PAGES, is_under_way

register = template.Library()

_MINUTE: Final = 60
_HOUR: Final = 3_600
_TITLES: Final = {
    "columns propose": gettext_lazy("Looking at the columns"),
    "data import": gettext_lazy("Importing the databases"),
    "pairs score": gettext_lazy("Finding pairs"),
    "pairs upload": gettext_lazy("Bringing in scored pairs"),
    "pairs bands": gettext_lazy("Moving the limits"),
    "plan forecast": gettext_lazy("Forecasting what budgets buy"),
    "dispatch": gettext_lazy("Dispatching"),
    "link": gettext_lazy("Linking records to persons"),
    "release create": gettext_lazy("Making a release"),
    "report": gettext_lazy("Making the report"),
}


@dataclass(frozen=True, slots=True)
class JobWords:
    """What is said about a job."""

    title: str
    going: bool
    silent: bool
    time_left: str
    page: str


@register.simple_tag
def job_words(job: Job) -> JobWords:
    going = is_under_way(job)
    return JobWords(
        title=str(_TITLES.get(job.kind, job.kind)),
        going=going,
        silent=going and not runner_lives(),
        time_left=time_left(job.seconds_left) if job.seconds_left else "",
        page=PAGES.get(job.kind, "project"),
    )


def time_left(seconds: int) -> str:
    """Write how long work will still take, about as exactly as it is known."""
    if seconds < _MINUTE:
        return _("less than a minute left")
    if seconds < 2 * _HOUR:
        minutes = round(seconds / _MINUTE)
        return ngettext(
            "about %(number)s minute left", "about %(number)s minutes left", minutes
        ) % {"number": minutes}
    return _("about %(number)s hours left") % {"number": round(seconds / _HOUR)}
