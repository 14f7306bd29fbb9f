"""What blocks a release, in words: what no reason settles, findings, and what to do about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.errors import SettingError
from mindfirl.engine.release.file_check import IN_CELLS
from mindfirl.services.release import release_choices, release_states
from mindfirl.services.release.coverage import SIDES
from mindfirl.store.models import Release
from mindfirl.web.page.fields import ReasonForm, choice
from mindfirl.web.page.figures import count, short_date
from mindfirl.web.page.labels import label

KINDS: Final = {
    "identifying column": gettext_lazy("the name of an identifying column"),
    "word": gettext_lazy("names or words of that person"),
    "number": gettext_lazy("numbers of that person"),
    "date": gettext_lazy("dates of that person"),
    "pseudonym": gettext_lazy("IDs or random numbers that are known elsewhere"),
    "formula": gettext_lazy("text that a spreadsheet reads as a formula"),
    "unexpected value": gettext_lazy("values that do not belong in the column"),
    "nearly unique": gettext_lazy("values that are unique to nearly every person"),
    "code": gettext_lazy("numbers or codes of persons"),
    "free text": gettext_lazy("free text that may name people"),
}
_WAYS: Final = {
    "month": gettext_lazy("Coarsen: keep year and month"),
    "year": gettext_lazy("Coarsen: keep the year"),
    "decade": gettext_lazy("Coarsen: keep the decade"),
    "2 digits": gettext_lazy("Coarsen: round to two digits"),
    "1 digit": gettext_lazy("Coarsen: round to one digit"),
}
_LEAVE_OUT, _BLANK, _ESCAPE, _KEEP = "leave out", "blank", "escape", ""


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding: what was found, who accepted or proposed it, and a form that asks why."""

    found: dict[str, Any]
    words: Any
    by: str
    on: str
    form: ReasonForm
    is_proposer: bool


def finding_rows(
    release: Release,
    names: Mapping[str, str],
    form_for: Callable[[str, str], ReasonForm],
    viewer: str,
) -> list[FindingRow]:
    rows = []
    for each in release.report["findings"]:
        said = each.get("settled") or each.get("proposed") or {}
        form = form_for(each["column"], each["kind"])
        by = names.get(said.get("by", ""), _("command line"))
        on = short_date(date.fromisoformat(said["at"][:10])) if "at" in said else ""
        words = KINDS.get(each["kind"], each["kind"])
        rows.append(FindingRow(each, words, by, on, form, said.get("by") == viewer))
    return rows


def barrier_words(release: Release) -> list[str]:
    """Say what blocks a release for good, and what to do instead."""
    choices = release_choices.kept_choices(release.choices)
    found = release_states.barriers(release.report, choices)
    least = count(choices.least_persons)
    told = {
        "persons": _(
            "It has %(persons)s persons; a release of this project needs at least %(least)s. Link "
            "more records, or release all records."
        )
        % {"persons": count(release.report["persons"]), "least": least},
        "difference": _(
            "Its persons differ from those of release %(other)s, which was downloaded, by fewer "
            "than %(least)s. Together the two would reveal values of these few persons. Release "
            "the same persons as before, or wait until at least %(least)s have changed."
        )
        % {"other": _nearest(release, choices.least_persons), "least": least},
        "k": _(
            "Its smallest group has fewer persons than the minimum k. Coarsen more, or leave a "
            "column out."
        ),
        "l": _(
            "A group has fewer different values than the minimum l. Coarsen more, or leave a "
            "column out."
        ),
    }
    told["joint k"] = told["joint l"] = _(
        "Combined with the columns of earlier downloaded releases, its groups are too small. Use "
        "the same coarsened columns as before, or leave columns out."
    )
    return list(dict.fromkeys(told[each] for each in found))


def _nearest(release: Release, least: int) -> int:
    """Return the first release that differs by too few persons."""
    differing = (
        each["release"]
        for each in release.report["compared"]
        if any(0 < each[side] < least for side in SIDES)
    )
    return next(differing, 0)


class RemediesForm(forms.Form):
    """What to do with each column in which something was found."""

    def __init__(self, typed: Any, *, release: Release) -> None:  # noqa: ANN401  # what Django reads forms from
        super().__init__(typed)
        self._kinds: dict[str, list[str]] = {}
        ways: dict[str, list[str]] = {}
        for each in release_states.unsettled(release.report):
            if "ways" in each:  # others are no sensitive columns
                self._kinds.setdefault(each["column"], []).append(each["kind"])
                ways[each["column"]] = each["ways"]
        for place, (column, kinds) in enumerate(self._kinds.items()):
            self.fields[f"column-{place}"] = choice(label(column), _offered(kinds, ways[column]))
            self.initial[f"column-{place}"] = _LEAVE_OUT

    def apply(self, release: Release) -> release_choices.Choices:
        """Return the choices of a release with what was chosen here."""
        self.is_valid()
        found = before = release_choices.kept_choices(release.choices)
        for place, column in enumerate(self._kinds):
            found = _remedied(found, column, self.cleaned_data.get(f"column-{place}", ""))
        if found == before:
            raise SettingError(_("Nothing was changed. Choose an action for at least one column."))
        return replace(found, least_persons=release.project.least_persons)


def _offered(kinds: list[str], ways: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {_LEAVE_OUT: _("Leave out the column")}
    if set(kinds) <= set(IN_CELLS):
        found[_BLANK] = _("Blank the cells found")
    if kinds == ["formula"]:
        found[_ESCAPE] = _("Put an apostrophe before formulas")
    return {**found, **{way: _way_words(way) for way in ways}, _KEEP: _("Keep unchanged")}


def _way_words(way: str) -> str:
    if way in _WAYS:
        return str(_WAYS[way])
    words = ngettext(
        "Coarsen: keep the first character", "Coarsen: keep the first %(n)d characters", int(way)
    )
    return words % {"n": int(way)}


def _remedied(
    choices: release_choices.Choices, column: str, remedy: str
) -> release_choices.Choices:
    if remedy == _LEAVE_OUT:
        return replace(choices, leave_out=(*choices.leave_out, column))
    if remedy == _BLANK:
        return replace(choices, blank=(*choices.blank, column))
    if remedy == _ESCAPE:
        return replace(choices, escape=(*choices.escape, column))
    if remedy == _KEEP:
        return choices
    return replace(choices, shorten={**choices.shorten, column: remedy})
