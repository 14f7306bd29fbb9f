"""Releases in words: whether they may leave, what is in them, what their check found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.forms import BoundField
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.engine.schema.schema_file import Coarsening
from mindfirl.services.release import release_choices, release_states
from mindfirl.store.models import Release
from mindfirl.store.queries.projects import is_over
from mindfirl.web.accounts.forms import Password
from mindfirl.web.page.fields import ReasonForm, choice, whole
from mindfirl.web.page.figures import count

_SCOPES: Final = {
    "linked": gettext_lazy("Persons with several records"),
    "all": gettext_lazy("All records"),
}
_FORMS: Final = {"csv": "CSV", "parquet": "Parquet"}
_PARTS: Final = {
    "year": gettext_lazy("the year"),
    "month": gettext_lazy("the year and month"),
    "decade": gettext_lazy("the decade"),
}
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


class ReleaseForm(forms.Form):
    scope = choice(gettext_lazy("Whose records"), _SCOPES)
    term = whole(gettext_lazy("Days until it is deleted"))
    least_k = whole(
        gettext_lazy("Least k"), hint=gettext_lazy("This many persons in the smallest group.")
    )
    least_l = whole(
        gettext_lazy("Least l"), hint=gettext_lazy("This many different values in each group.")
    )

    def __init__(
        self,
        typed: Any,  # noqa: ANN401  # what Django reads forms from
        *,
        ways: Mapping[str, tuple[Coarsening, ...]],
    ) -> None:
        usual = release_choices.Choices()
        initial = {name: getattr(usual, name) for name in ("term", "least_k", "least_l")}
        super().__init__(typed, initial=initial)
        self.attributes = list(ways)
        for name, offered in ways.items():
            among = {"": _("nothing of it"), **{str(way): part_words(way) for way in offered}}
            self.fields[release_choices.coarsen_field(name)] = choice(name, among)

    def coarsened(self) -> list[BoundField]:
        return [self[release_choices.coarsen_field(name)] for name in self.attributes]

    def changes(self) -> release_choices.ChoicesTyped:
        self.is_valid()
        typed = self.cleaned_data
        return release_choices.ChoicesTyped(
            linked_only=typed.get("scope") != "all",
            coarsen={
                name: typed.get(release_choices.coarsen_field(name), "") for name in self.attributes
            },
            **{name: typed.get(name, "") for name in ("least_k", "least_l", "term")},
        )


class DownloadForm(Password):
    field_order = ("form", "password")
    form = choice(gettext_lazy("As"), _FORMS)


def part_words(way: Coarsening) -> str:
    if isinstance(way, int):
        return ngettext("the first character", "the first %(n)d characters", way) % {"n": way}
    return str(_PARTS[way])


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    kept: Release
    state: str
    state_words: Any
    tone: str


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
    if release_states.below_least(release.report, release_choices.kept_choices(release.choices)):
        return _(
            "No: some persons of it hide in groups that are too small, which cannot be settled. "
            "Make another release that coarsens more, or leaves a coarsened column out."
        )
    found = sum(each["count"] for each in release_states.unsettled(release.report))
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


def facts(release: Release) -> list[tuple[str, str]]:
    report, choices = release.report, release_choices.kept_choices(release.choices)
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
) -> list[tuple[dict[str, Any], Any, str, ReasonForm]]:
    """List what the check found in columns, in words, who settled it, and a form that asks why."""
    return [
        (
            each,
            KINDS.get(each["kind"], each["kind"]),
            names.get(each.get("settled", {}).get("by", ""), _("command line")),
            form_for(each["column"], each["kind"]),
        )
        for each in release.report["findings"]
    ]


def _hiding(release: Release) -> str:
    found, choices = release.report["anonymity"], release_choices.kept_choices(release.choices)
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
