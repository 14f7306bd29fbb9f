"""What reviews leave open, in words and figures: counts alone, never which records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.services.resolve import Path
from mindfirl.store.models import Job, Linkage
from mindfirl.web.page.figures import count, pairs
from mindfirl.web.resolve.forms import AcceptForm, LinkForm

_KINDS: Final = {
    "disagreement": gettext_lazy("reviewers disagree"),
    "cannot tell": gettext_lazy("somebody cannot tell"),
    "contradiction": gettext_lazy("links contradict each other"),
}
_SAME: Final = ("links", "non_links", "automatic_links", "accepted", "unsettled", "persons")
"""Counts that are others when something was decided since."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Links that contradict each other: by number, and by a name that only this server can read."""

    number: str
    name: str
    why: str
    path: str
    given: bool
    form: AcceptForm


@dataclass(frozen=True, slots=True)
class LinkageWords:
    number: int
    when: datetime
    who: str
    bands: list[tuple[str, str, str]]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class WaitingConflicts:
    """Conflicts that wait for a second person."""

    number: int
    who: str
    when: datetime
    pairs: str
    confirms: bool


@dataclass(frozen=True, slots=True)
class ResolvePage:
    """``first`` names the stage that has to come before."""

    first: str
    wrong: str
    job: Job | None


@dataclass(frozen=True, slots=True)
class ConflictsPart:
    """What is open, and who could settle it."""

    lead: str
    figures: list[tuple[str, str, str]]
    kinds: list[tuple[str, str, str]]
    free: int
    busy: bool
    adjudicators: list[tuple[str, str]]
    seen: str
    give: str
    proposed: WaitingConflicts | None


@dataclass(frozen=True, slots=True)
class ContradictionsPart:
    contradictions: list[Contradiction]
    more: int


@dataclass(frozen=True, slots=True)
class PersonsPart:
    """The newest linkage, and whether it is time for another."""

    linkage: LinkageWords | None
    current: bool
    unsettled: int
    contradicted: int
    linking: LinkForm


def figures(counts: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the figures that answer the question of the page: tone, number, words."""
    return [
        ("linked", count(counts["by_rule"]), _("settled by the rule")),
        ("linked", count(counts["adjudicated"]), _("settled by adjudicators")),
        ("people", count(open_conflicts(counts) + held_conflicts(counts)), _("in conflict")),
        ("", count(counts["under_review"]), _("under review")),
        ("", count(counts["unsettled"]), _("not settled, in all")),
    ]


def open_conflicts(counts: Mapping[str, Any]) -> int:
    return sum(counts["conflicts"].values())


def held_conflicts(counts: Mapping[str, Any]) -> int:
    return sum(counts["with_adjudicators"].values())


def kinds(counts: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (str(words).capitalize(), count(free), count(held))
        for kind, words in _KINDS.items()
        for free, held in [(counts["conflicts"][kind], counts["with_adjudicators"][kind])]
        if free or held
    ]


def lead(counts: Mapping[str, Any]) -> str:
    return " ".join(_sentences(counts))


def _sentences(counts: Mapping[str, Any]) -> Iterator[str]:
    free, held, under = open_conflicts(counts), held_conflicts(counts), counts["under_review"]
    if free:
        yield ngettext(
            "%(shown)s conflict waits for somebody to settle it.",
            "%(shown)s conflicts wait for somebody to settle them.",
            free,
        ) % {"shown": count(free)}
    if held:
        yield ngettext(
            "%(shown)s conflict is with an adjudicator.",
            "%(shown)s conflicts are with adjudicators.",
            held,
        ) % {"shown": count(held)}
    if under:
        words = _("%(pairs)s under review: whether they agree is seen when all is handed in.")
        yield words % {"pairs": pairs(under)}
    if not (free or held or under):
        yield _("Nothing: all that was reviewed is settled.")


def contradiction(path: Path, *, number: int, name: str, form: AcceptForm) -> Contradiction:
    return Contradiction(count(number), name, _why(path), _over(path), path.given, form)


def contradiction_name(version: int, between: tuple[int, int]) -> str:
    """Name a contradiction so that only this installation can tell which it is."""
    left, right = between
    told = f"{version} {left} {right}"
    return salted_hmac("mindfirl.contradiction", told, algorithm="sha256").hexdigest()[:32]


def _why(path: Path) -> str:
    if path.decided:
        return _("Links join two records of which people decided that they are not of one person.")
    return _("Links join two records of one database in which everybody stands once.")


def _over(path: Path) -> str:
    words = ngettext("Over %(links)s link:", "Over %(links)s links:", path.links)
    made = [
        (path.automatic, _("%(n)s automatic")),
        (path.reviewed, _("%(n)s reviewed")),
        (path.adjudicated, _("%(n)s by adjudicators")),
    ]
    parts = [each % {"n": count(number)} for number, each in made if number]
    return f"{words % {'links': count(path.links)}} {', '.join(parts)}."


def linkage_words(linkage: Linkage) -> LinkageWords:
    report = linkage.report
    by = report["records_by"]
    return LinkageWords(
        number=linkage.number,
        when=linkage.created,
        who=str(linkage.account) if linkage.account else _("the command line"),
        bands=[
            ("linked", count(report["persons"]), _("persons")),
            ("linked", count(report["linked_persons"]), _("of them with several records")),
            ("", count(by["automatic"]), _("records linked automatically")),
            ("", count(by["reviewed"]), _("records linked by people")),
            ("", count(by["single"]), _("records alone")),
        ],
        notes=list(_notes(report)),
    )


def _notes(report: Mapping[str, Any]) -> Iterator[str]:
    if report["unsettled"]:
        words = _("%(pairs)s that nobody settled counted as not linked.")
        yield words % {"pairs": pairs(report["unsettled"])}
    if report["accepted"]:
        yield ngettext(
            "%(shown)s contradiction was let stand.",
            "%(shown)s contradictions were let stand.",
            report["accepted"],
        ) % {"shown": count(report["accepted"])}


def is_current(linkage: Linkage, version: int, counts: Mapping[str, Any]) -> bool:
    """Say whether a linkage is of what is decided by now."""
    same = all(linkage.report[name] == counts[name] for name in _SAME)
    return same and linkage.version_id == version
