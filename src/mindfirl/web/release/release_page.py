"""Releases in words: whether they may leave, what is in them, what their check found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.services.release.release_choices import kept_choices
from mindfirl.services.release.release_states import below_least, unsettled
from mindfirl.store.models import Handover, Job, Linkage, Release
from mindfirl.store.queries.projects import is_over
from mindfirl.web.accounts.forms import Password
from mindfirl.web.page.figures import count
from mindfirl.web.release.forms import DownloadForm, ReasonForm, ReleaseForm, part_words

STATES: Final = {
    "ready": gettext_lazy("ready"),
    "blocked": gettext_lazy("blocked"),
    "over": gettext_lazy("over"),
    "deleted": gettext_lazy("deleted"),
}
_TONES: Final = {"ready": "good", "blocked": "bad"}
KINDS: Final = {
    "identifying column": gettext_lazy("the name of a column that identifies"),
    "word": gettext_lazy("names or words of that person"),
    "number": gettext_lazy("numbers of that person"),
    "date": gettext_lazy("dates of that person"),
    "pseudonym": gettext_lazy("ids or random numbers that are known elsewhere"),
    "formula": gettext_lazy("what a spreadsheet takes for a formula"),
    "unexpected value": gettext_lazy("what does not belong there"),
}
WHAT: Final = {
    "data": gettext_lazy("the data"),
    "crosswalk": gettext_lazy("the crosswalk: from record ids to person numbers"),
}
_WAYS: Final = {
    "automatic": gettext_lazy("linked automatically"),
    "reviewed": gettext_lazy("linked by people"),
    "single": gettext_lazy("single"),
}


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """A release, and its state: its term may be over before it is deleted."""

    kept: Release
    state: str
    state_words: Any
    tone: str


@dataclass(frozen=True, slots=True)
class FindingRow:
    """Something that the check found in a column; why it may leave, or a form that asks why."""

    column: str
    kind: str
    words: Any
    count: str
    settled: Mapping[str, str] | None
    who: str
    form: ReasonForm


@dataclass(frozen=True, slots=True)
class HandoverRow:
    who: str
    what: Any
    at: datetime


@dataclass(frozen=True, slots=True)
class ReleasesPage:
    linkage: Linkage | None
    persons: str
    lead: str
    releases: list[ReleaseRow]
    form: ReleaseForm
    may_release: bool
    job: Job | None
    labels_form: Password
    labels: str


@dataclass(frozen=True, slots=True)
class ReleasePage:
    release: ReleaseRow
    answer: str
    facts: list[tuple[str, str]]
    findings: list[FindingRow]
    settles: bool
    download: DownloadForm
    downloads: bool
    refusal: str
    deleting: ReasonForm
    deletes: bool
    got: list[HandoverRow]


def state_of(release: Release) -> str:
    """Say how a release stands now: its term may be over before it is deleted."""
    gone = release.state != "deleted" and is_over(release, timezone.now())
    return "over" if gone else release.state


def release_row(release: Release) -> ReleaseRow:
    state = state_of(release)
    return ReleaseRow(release, state, STATES[state], _TONES.get(state, ""))


def all_words(releases: list[Release]) -> str:
    states = [state_of(each) for each in releases]
    ready, blocked = states.count("ready"), states.count("blocked")
    if not ready and not blocked:
        return _("Nothing at the moment.")
    told = []
    if ready:
        words = ngettext(
            "%(n)s release may be downloaded.", "%(n)s releases may be downloaded.", ready
        )
        told.append(words % {"n": count(ready)})
    if blocked:
        words = ngettext(
            "%(n)s release is blocked by its check.",
            "%(n)s releases are blocked by their checks.",
            blocked,
        )
        told.append(words % {"n": count(blocked)})
    return " ".join(told)


def answer(release: Release) -> str:
    state = state_of(release)
    if state == "deleted":
        return _("No: it was deleted, and its key with it. Nobody can open it again.")
    if state == "over":
        return _("No: its term is over, and it is about to be deleted.")
    if below_least(release.report, kept_choices(release.choices)):
        return _(
            "No: some persons of it hide in groups that are too small, which cannot be settled. "
            "Make another release that coarsens more, or leaves a coarsened column out."
        )
    found = sum(each["count"] for each in unsettled(release.report))
    if state == "blocked":
        words = ngettext(
            "Not yet: its check found %(n)s cell that may say who somebody is. Say why it may "
            "leave, or mend the data and make another release.",
            "Not yet: its check found %(n)s cells that may say who somebody is. Say why they may "
            "leave, or mend the data and make another release.",
            found,
        )
        return words % {"n": count(found)}
    if release.report["findings"]:
        return _("Yes: what its check found was settled.")
    return _("Yes: its check found nothing that says who somebody is.")


def may_be_settled(release: Release) -> bool:
    """Say whether settling what was found would let a release leave."""
    small = below_least(release.report, kept_choices(release.choices))
    return state_of(release) == "blocked" and not small


def facts(release: Release) -> list[tuple[str, str]]:
    report, choices = release.report, kept_choices(release.choices)
    kept = [
        _("%(part)s of %(attribute)s") % {"part": part_words(way), "attribute": name}
        for name, way in choices.coarsen.items()
    ]
    return [
        (_("Columns"), ", ".join(report["columns"])),
        (_("Rows by database"), _listed(report["databases"])),
        (
            _("Rows by how they were linked"),
            _listed({str(_WAYS[how]): number for how, number in report["linked"].items()}),
        ),
        (_("Coarsened"), "; ".join(kept) or _("nothing: no quasi-identifier is in it")),
        *([(_("Hiding"), _hiding(release))] if report["anonymity"] else []),
    ]


def findings(
    release: Release, names: Mapping[str, str], form_for: Callable[[str, str], ReasonForm]
) -> list[FindingRow]:
    """List what the check found, and why it may leave; the names are those of accounts."""
    return [
        FindingRow(
            column=each["column"],
            kind=each["kind"],
            words=KINDS.get(each["kind"], each["kind"]),
            count=count(each["count"]),
            settled=each.get("settled"),
            who=names.get(each.get("settled", {}).get("by", ""), _("command line")),
            form=form_for(each["column"], each["kind"]),
        )
        for each in release.report["findings"]
    ]


def handover_rows(handovers: list[Handover]) -> list[HandoverRow]:
    return [
        HandoverRow(
            who=str(each.account) if each.account else _("command line"),
            what=WHAT[each.what],
            at=each.at,
        )
        for each in handovers
    ]


def _hiding(release: Release) -> str:
    found, choices = release.report["anonymity"], kept_choices(release.choices)
    words = _(
        "k %(k)s of at least %(least_k)s: persons in the smallest group; "
        "l %(l)s of at least %(least_l)s: different values in a group"
    )
    return words % {
        "k": count(found["k"]),
        "least_k": count(choices.least_k),
        "l": "–" if found["l"] is None else count(found["l"]),
        "least_l": count(choices.least_l),
    }


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count(number)}" for name, number in counts.items())
