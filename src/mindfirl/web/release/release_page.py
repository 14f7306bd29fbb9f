"""Releases in words: whether they may leave, what is in them, what their check found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.forms import BoundField
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.engine.schema.schema_file import Coarsening
from mindfirl.services.release import release_choices, release_states
from mindfirl.services.release.handover import CHANGES
from mindfirl.store.models import Release
from mindfirl.store.queries.projects import is_over
from mindfirl.web.accounts.forms import Password
from mindfirl.web.page.fields import choice, whole
from mindfirl.web.page.figures import count
from mindfirl.web.page.labels import label

_SCOPES: Final = {
    "linked": gettext_lazy("Persons with several records"),
    "all": gettext_lazy("All records"),
}
_ROWS: Final = {
    "record": gettext_lazy("One row per record"),
    "person": gettext_lazy("One row per person"),
}
_SEVERAL: Final = {
    "all": gettext_lazy("List all different values"),
    "agreed": gettext_lazy("Keep the value only if all agree"),
    "commonest": gettext_lazy("Keep the most common value"),
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
WHAT: Final = {
    "data": gettext_lazy("the data"),
    "crosswalk": gettext_lazy("the crosswalk (record IDs to person numbers)"),
}
_WAYS: Final = {
    "automatic": gettext_lazy("linked automatically"),
    "reviewed": gettext_lazy("linked by people"),
    "single": gettext_lazy("single"),
}


class ReleaseForm(forms.Form):
    scope = choice(gettext_lazy("Records to include"), _SCOPES)
    term = whole(gettext_lazy("Delete after (days)"))
    rows = choice(gettext_lazy("Rows"), _ROWS)
    several = choice(
        gettext_lazy("If a person has several values"),
        _SEVERAL,
        hint=gettext_lazy("Applies to one row per person."),
    )
    columns = forms.MultipleChoiceField(
        label=gettext_lazy("Sensitive columns"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    least_k = whole(
        gettext_lazy("Minimum k"), hint=gettext_lazy("Minimum number of persons in a group.")
    )
    least_l = whole(
        gettext_lazy("Minimum l"),
        hint=gettext_lazy("Minimum number of different values in a group."),
    )

    def __init__(
        self,
        typed: Any,  # noqa: ANN401  # what Django reads forms from
        *,
        ways: Mapping[str, tuple[Coarsening, ...]],
        sensitive: Sequence[str] = (),
    ) -> None:
        usual = release_choices.Choices()
        initial = {name: getattr(usual, name) for name in ("term", "least_k", "least_l")}
        super().__init__(typed, initial={**initial, "columns": list(sensitive)})
        self.sensitive = list(sensitive)
        columns = self.fields["columns"]
        assert isinstance(columns, forms.MultipleChoiceField)
        columns.choices = [(name, label(name)) for name in sensitive]
        self.attributes = list(ways)
        for name, offered in ways.items():
            among = {"": _("leave out"), **{str(way): part_words(way) for way in offered}}
            self.fields[release_choices.coarsen_field(name)] = choice(label(name), among)

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
            **{
                name: typed.get(name, "")
                for name in ("least_k", "least_l", "term", "rows", "several")
            },
            leave_out=[name for name in self.sensitive if name not in typed.get("columns", ())],
        )


class DownloadForm(Password):
    field_order = ("form", "password")
    form = choice(gettext_lazy("As"), _FORMS)

    def __init__(self, typed: Any = None, *, release: Release) -> None:  # noqa: ANN401  # what Django reads
        super().__init__(typed)
        if release.changes_id:
            among = {**_FORMS, CHANGES: _("merges and splits (CSV)")}
            self.fields["form"] = choice(gettext_lazy("As"), among)


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
        return _("No releases yet.")
    told = []
    if ready:
        words = ngettext(
            "%(n)s release can be downloaded.", "%(n)s releases can be downloaded.", ready
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
        return _("Deleted: its key was destroyed. Nobody can open it again.")
    if state == "over":
        return _("Expired: it will be deleted.")
    choices = release_choices.kept_choices(release.choices)
    if release_states.barriers(release.report, choices):
        return _("Blocked permanently. Create another release.")
    if state == "blocked":
        columns = len({each["column"] for each in release_states.unsettled(release.report)})
        words = ngettext(
            "Blocked: the check found something in %(n)s column. Choose an action for it.",
            "Blocked: the check found something in %(n)s columns. Choose an action for each.",
            columns,
        )
        return words % {"n": count(columns)}
    if release.report["findings"]:
        return _("Ready: all findings of its check were accepted.")
    return _("Ready: its check found nothing that identifies a person.")


def facts(release: Release) -> list[tuple[str, str]]:
    report, choices = release.report, release_choices.kept_choices(release.choices)
    kept = [
        _("%(part)s of %(attribute)s") % {"part": part_words(way), "attribute": label(name)}
        for name, way in choices.coarsen.items()
    ]
    synthetic = (_("People"), _("synthetic: made-up people, as the file name also says"))
    return [
        *([synthetic] if release.project.synthetic else []),
        *([(_("Linkage"), _drawn_words(choices))] if choices.draw else []),
        (_("Person numbers"), _numbers_words(release)),
        (_("Rows"), _rows_words(choices)),
        (_("Columns"), ", ".join(map(label, report["columns"]))),
        *([(_("Left out"), ", ".join(map(label, choices.leave_out)))] if choices.leave_out else []),
        *([(_("Changed"), _changed(choices))] if _changed(choices) else []),
        (_("Rows by database"), _listed(report["databases"])),
        (
            _("Rows by how they were linked"),
            _listed({str(_WAYS[how]): number for how, number in report["linked"].items()}),
        ),
        (_("Quasi-identifiers"), "; ".join(kept) or _("none")),
        *([(_("Groups"), _groups(report["anonymity"], choices))] if report["anonymity"] else []),
        *(
            [(_("With earlier releases"), _groups(report["joint"], choices))]
            if report["joint"]
            else []
        ),
    ]


def _numbers_words(release: Release) -> str:
    """Say whether persons have the same numbers in other releases."""
    if "numbers" not in release.report:
        return _("fresh: not used in any other release")
    earlier = release.project.registers.filter(linkage__number__lt=release.linkage.number)
    if not earlier.exists():
        return _("the same in all releases of this project")
    words = _(
        "the same in all releases of this project; since the last released linkage, %(merged)s "
        "merged and %(split)s were split"
    )
    return words % {name: count(number) for name, number in release.report["numbers"].items()}


def _drawn_words(choices: release_choices.Choices) -> str:
    return _("draw %(number)s: links come as often as they are probable") % {"number": choices.draw}


def _rows_words(choices: release_choices.Choices) -> str:
    if choices.rows == "record":
        return str(_ROWS["record"])
    return f"{_ROWS['person']}; {_SEVERAL[choices.several]}".replace("; ", ": ", 1)


def _changed(choices: release_choices.Choices) -> str:
    told = [
        _("%(column)s: found cells blanked") % {"column": label(each)} for each in choices.blank
    ]
    told += [_("%(column)s: formulas escaped") % {"column": label(each)} for each in choices.escape]
    told += [
        _("%(column)s: coarsened (%(way)s)") % {"column": label(name), "way": way}
        for name, way in choices.shorten.items()
    ]
    return "; ".join(told)


def _groups(found: dict[str, Any] | None, choices: release_choices.Choices) -> str:
    """Say k and l, and what they were counted over."""
    if found is None:
        return ""
    words = _(
        "k %(k)s of at least %(least_k)s persons in the smallest group; l %(l)s of at least "
        "%(least_l)s different values in a group. Counted over the database and all released "
        "columns other than sensitive values, coarsened at import or here."
    )
    return words % {
        "k": count(found["k"]),
        "least_k": count(choices.least_k),
        "l": "–" if found["l"] is None else count(found["l"]),
        "least_l": count(choices.least_l),
    }


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count(number)}" for name, number in counts.items())
