"""What reviews leave open, in words and figures: counts alone, never which records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.utils.crypto import salted_hmac
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.services.resolve import Path
from mindfirl.web.page.figures import count, pairs
from mindfirl.workspace.outcomes.changed_outcomes import Change

_KINDS: Final = {
    "disagreement": gettext_lazy("reviewers disagree"),
    "cannot tell": gettext_lazy("a reviewer cannot tell"),
    "expert asked for": gettext_lazy("a reviewer asked for an expert"),
    "against weight": gettext_lazy("votes contradict the match weight"),
    "still uncertain": gettext_lazy("still uncertain after all reviews"),
    "overruled": gettext_lazy("other pairs of the records outweigh the votes"),
    "contradiction": gettext_lazy("links contradict each other"),
}
SAME: Final = (
    *("rule", "links", "non_links", "automatic_links"),
    *("accepted", "unsettled", "linked_by_weight", "persons"),
)
"""Counts that are others when something was decided since."""


def conflicts(counts: Mapping[str, Any]) -> tuple[int, int]:
    """Count the conflicts that nobody has yet, and those with adjudicators."""
    return sum(counts["conflicts"].values()), sum(counts["with_adjudicators"].values())


def kinds(counts: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (capfirst(str(words)), count(free), count(held))
        for kind, words in _KINDS.items()
        for free, held in [(counts["conflicts"][kind], counts["with_adjudicators"][kind])]
        if free or held
    ]


def lead(counts: Mapping[str, Any]) -> Iterator[str]:
    (free, held), under = conflicts(counts), counts["under_review"]
    if free:
        yield ngettext(
            "%(shown)s open conflict is not assigned.",
            "%(shown)s open conflicts are not assigned.",
            free,
        ) % {"shown": count(free)}
    if held:
        yield ngettext(
            "%(shown)s conflict is with an adjudicator.",
            "%(shown)s conflicts are with adjudicators.",
            held,
        ) % {"shown": count(held)}
    if free or held:
        yield from _rings(counts, free, held)
    if under:
        words = _("%(pairs)s under review. Conflicts appear once the reviews are submitted.")
        yield words % {"pairs": pairs(under)}
    if not (free or held or under):
        yield _("No open conflicts.")


def _rings(counts: Mapping[str, Any], free: int, held: int) -> Iterator[str]:
    """Say how many pairs conflicts have, where that is another number."""
    size = sum(counts["pairs_in_conflict"].values())
    if size != free + held:
        words = _("They are made of %(pairs)s: a contradiction is one conflict of several pairs.")
        yield words % {"pairs": pairs(size)}


_OUTCOMES: Final = {
    "link": gettext_lazy("linked"),
    "non-link": gettext_lazy("not linked"),
    "open": gettext_lazy("open"),
}


def carried(counts: Mapping[str, Any], changes: Mapping[Change, int]) -> Iterator[str]:
    """Say what comes from earlier rounds, and what of it has another outcome now."""
    if number := counts["carried"]:
        yield ngettext(
            "%(shown)s pair has decisions that were carried over from earlier rounds.",
            "%(shown)s pairs have decisions that were carried over from earlier rounds.",
            number,
        ) % {"shown": count(number)}
    if changes:
        listed = [
            _("%(shown)s from %(before)s to %(now)s")
            % {"shown": count(number), "before": _OUTCOMES[before], "now": _OUTCOMES[now]}
            for (before, now), number in sorted(changes.items())
        ]
        words = _("The new match weights change some outcomes: %(listed)s.")
        yield words % {"listed": ", ".join(listed)}


def checked_answers(counts: Mapping[str, Any]) -> Iterator[str]:
    """Say what reviewers make of answers from elsewhere, and what to do where they disagree."""
    if not counts["answers_checked"]:
        return
    words = _("Reviewers checked %(checked)s of the known answers and disagree with %(disputed)s.")
    yield words % {
        "checked": count(counts["answers_checked"]),
        "disputed": count(counts["answers_disputed"]),
    }
    if counts["answers_disputed"]:
        yield _(
            "Known answers still count. Look at their source; if it is wrong, upload corrected "
            "answers on Pairs: the newest answer to a pair counts."
        )


def contradiction_name(version: int, between: tuple[int, int]) -> str:
    """Name a contradiction so that only this installation can tell which it is."""
    left, right = between
    told = f"{version} {left} {right}"
    return salted_hmac("mindfirl.contradiction", told, algorithm="sha256").hexdigest()[:32]


def why(path: Path) -> str:
    if path.decided:
        return _("Links join two records that people decided are different persons.")
    return _("Links join two records of a database that has no duplicates.")


def over(path: Path) -> str:
    words = ngettext("Over %(links)s link:", "Over %(links)s links:", path.links)
    made = [
        (path.automatic, _("%(n)s automatic")),
        (path.reviewed, _("%(n)s reviewed")),
        (path.adjudicated, _("%(n)s by adjudicators")),
    ]
    parts = [each % {"n": count(number)} for number, each in made if number]
    return f"{words % {'links': count(path.links)}} {', '.join(parts)}."


def bands(report: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    by = report["records_by"]
    return [
        ("linked", count(report["persons"]), _("persons")),
        ("linked", count(report["linked_persons"]), _("of them with several records")),
        ("", count(by["automatic"]), _("records linked automatically")),
        ("", count(by["reviewed"]), _("records linked by people")),
        ("", count(by["single"]), _("records without links")),
    ]


def undecided(counts: Mapping[str, Any]) -> str:
    """Say what linking will make of undecided pairs that go by their weights."""
    words = _("%(pairs)s undecided: their weights decide, and %(linked)s of them will be linked.")
    linked = count(counts["linked_by_weight"])
    return words % {"pairs": pairs(counts["unsettled"]), "linked": linked}


def findings(counts: Mapping[str, Any]) -> Iterator[str]:
    """Say what to look at before records are linked."""
    found = counts["findings"]
    if weak := found["weakly_joined"]:
        yield ngettext(
            "%(shown)s person of three or more records is held together by a weak pair (weight "
            "below 2). Have this pair reviewed first.",
            "%(shown)s persons of three or more records are each held together by a weak pair "
            "(weight below 2). Have these pairs reviewed first.",
            weak,
        ) % {"shown": count(weak)}
    if large := found["unusually_large"]:
        yield ngettext(
            "%(shown)s person has far more records than the others; the largest has %(most)s. "
            "Check whether a placeholder, such as “unknown”, was read as a value.",
            "%(shown)s persons have far more records than the others; the largest has %(most)s. "
            "Check whether a placeholder, such as “unknown”, was read as a value.",
            large,
        ) % {"shown": count(large), "most": count(found["largest"])}
    if found["large_components"]:
        yield _(
            "Similar pairs connect more than 5,000 records in one chain. Weights still separate "
            "persons, but so long a chain is unusual. Check the columns that are compared."
        )


def _left_open(report: Mapping[str, Any]) -> str:
    if report.get("rule") == "evidence":
        words = _("%(pairs)s undecided: the weights decided, %(linked)s linked.")
    else:
        words = _("%(pairs)s that were not settled counted as not linked.")
    linked = count(report.get("linked_by_weight", 0))
    return words % {"pairs": pairs(report["unsettled"]), "linked": linked}


def notes(report: Mapping[str, Any]) -> Iterator[str]:
    if report["unsettled"]:
        yield _left_open(report)
    if report["accepted"]:
        yield ngettext(
            "%(shown)s contradiction was accepted.",
            "%(shown)s contradictions were accepted.",
            report["accepted"],
        ) % {"shown": count(report["accepted"])}
