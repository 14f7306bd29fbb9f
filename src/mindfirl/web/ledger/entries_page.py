"""Entries of a ledger in words: who by number, what, on which pair, from level to level, the price.

What a manager gave as a reason stands there in their words; nothing else was ever typed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.ledger import events
from mindfirl.core.ledger.events import EVENTS, Opened, Refused
from mindfirl.core.policy import COMMAND_LINE, INSTALLATION
from mindfirl.core.risk.percent import WHOLE, write_percent
from mindfirl.store.models import Assignment
from mindfirl.store.queries.entries import EntriesPage, People, ReadEntry
from mindfirl.web.page.figures import count, percent

_KINDS: Final = {
    "dispatch confirmed": gettext_lazy("Dispatch confirmed"),
    "dispatched": gettext_lazy("Pairs given out"),
    "opened": gettext_lazy("Opened"),
    "refused": gettext_lazy("Opening refused"),
    "budget raised": gettext_lazy("Budget raised"),
    "due moved": gettext_lazy("Due day moved"),
    "paused": gettext_lazy("Paused"),
    "resumed": gettext_lazy("Resumed"),
    "ended": gettext_lazy("Ended"),
    "submitted": gettext_lazy("Submitted"),
    "explained": gettext_lazy("Weight explained"),
    "contradiction accepted": gettext_lazy("Contradiction accepted"),
    "linked": gettext_lazy("Records linked"),
    "released": gettext_lazy("Linked data made"),
    "finding settled": gettext_lazy("Finding let stand"),
    "handed over": gettext_lazy("Handed over"),
    "release deleted": gettext_lazy("Release deleted"),
    "closed": gettext_lazy("Project closed"),
    "shredded": gettext_lazy("Keys destroyed"),
}
_REFUSALS: Final = {
    "kappa": gettext_lazy("too few records would be left"),
    "budget": gettext_lazy("the budget is too small"),
    "together": gettext_lazy("the limit for all together"),
}
_LEVELS: Final = {
    "masked": gettext_lazy("masked"),
    "partial": gettext_lazy("partial"),
    "full": gettext_lazy("full"),
}


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry as a row of a table."""

    number: str
    when: str
    who: str
    what: Any
    assignment: str
    pair: str
    details: tuple[str, ...]
    price: str


@dataclass(frozen=True, slots=True)
class EntryWords:
    """What the words of entries depend on: the numbers of people and of assignments."""

    people: People
    assignments: Sequence[Assignment]

    def number(self, assignment: str) -> str:
        places = {str(each.pk): place for place, each in enumerate(self.assignments, start=1)}
        return count(places[assignment]) if assignment in places else ""

    def who(self, actor: str) -> str:
        if actor == COMMAND_LINE.name:
            return _("Command line")
        if actor == INSTALLATION.name:
            return _("The installation")
        if actor in self.people.reviewers:
            return _("Reviewer %(n)d") % {"n": self.people.reviewers[actor]}
        return _("Overseer %(n)d") % {"n": self.people.overseers.get(actor, 0)}


def kinds() -> dict[str, Any]:
    return {kind: _KINDS.get(kind, kind) for kind in EVENTS}


def entry_rows(page: EntriesPage, words: EntryWords) -> list[EntryRow]:
    return [_row(each, words) for each in page.entries]


def assignment_choices(words: EntryWords) -> list[tuple[str, str]]:
    choice = _("%(n)s, %(who)s")
    return [
        (str(each.pk), choice % {"n": count(place), "who": words.who(str(each.account_id))})
        for place, each in enumerate(words.assignments, start=1)
    ]


def _row(each: ReadEntry, words: EntryWords) -> EntryRow:
    number = count(each.number)
    if each.entry is None:
        sentence = _("This entry cannot be read. Verify the ledger.")
        return EntryRow(number, "", "", sentence, "", "", (), "")
    event = each.entry.event
    pair = getattr(event, "pair", 0)
    return EntryRow(
        number=number,
        when=_when(each.entry.at),
        who=words.who(each.entry.actor),
        what=kinds()[each.kind],
        assignment=words.number(getattr(event, "assignment", "")),
        pair=count(pair) if pair else "",
        details=tuple(_details(each, words)),
        price=_price(event, words),
    )


def _details(each: ReadEntry, words: EntryWords) -> Iterator[str]:
    assert each.entry is not None
    event = each.entry.event
    if isinstance(event, Opened | Refused):
        yield from _steps(event, each.before)
    if each.kind in _MORE:
        named = {name: words.who(getattr(event, name, "")) for name in ("person", "proposed_by")}
        yield str(_MORE[each.kind]) % {**_figures(event), **named}
    if isinstance(event, events.Dispatched) and ("hints", "on") in event.settings:
        yield _("suggestions are on")
    if isinstance(event, Refused):
        yield str(_REFUSALS[event.reason])
    elif reason := getattr(event, "reason", ""):
        yield reason


_MORE: Final = {
    "dispatch confirmed": gettext_lazy("dispatch %(dispatch)s, proposed by %(proposed_by)s"),
    "dispatched": gettext_lazy("pairs: %(pairs)s, to %(person)s, budget %(budget)s"),
    "budget raised": gettext_lazy("to %(budget)s"),
    "due moved": gettext_lazy("to %(due)s"),
    "linked": gettext_lazy(
        "linkage %(linkage)s of version %(version)s: %(records)s records, %(persons)s persons; "
        "pairs left unsettled: %(unsettled)s, contradictions accepted: %(accepted)s"
    ),
    "released": gettext_lazy(
        "release %(release)s of linkage %(linkage)s: %(rows)s rows; columns: %(columns)s; "
        "found by the check: %(blocked)s"
    ),
    "finding settled": gettext_lazy(
        "release %(release)s, column %(column)s: %(finding)s, %(count)s times"
    ),
    "handed over": gettext_lazy("%(what)s of release %(release)s, to %(person)s"),
    "release deleted": gettext_lazy("release %(release)s"),
    "shredded": gettext_lazy("keys: %(keys)s"),
}
"""What is said of each kind of entry, beside the reason that somebody gave."""


def _figures(event: events.Event) -> dict[str, str]:
    found = {each.name: getattr(event, each.name) for each in fields(event)}
    written = {name: _written(value) for name, value in found.items()}
    if "budget" in found:
        written["budget"] = f"{write_percent(found['budget'])}%"
    return written


def _written(value: object) -> str:
    if isinstance(value, int):
        return count(value)
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value) or "–"


def _steps(event: Opened | Refused, before: Mapping[str, str]) -> Iterator[str]:
    """Say from which level to which cells were opened; those of one level together."""
    for level in dict.fromkeys(before.values()):
        cells = ", ".join(name for name in event.cells if before[name] == level)
        about = {"cells": cells, "level": _LEVELS[level], "to": _LEVELS[event.level]}
        yield _("%(cells)s: %(level)s → %(to)s") % about


def _price(event: events.Event, words: EntryWords) -> str:
    """Write a charge as what it adds to K of the assignment's pairs."""
    charge, name = getattr(event, "charge", None), getattr(event, "assignment", "")
    found = next((each for each in words.assignments if str(each.pk) == name), None)
    if charge is None or found is None:
        return ""
    rows = 2 * found.size * len(found.attributes)
    return percent(charge * found.terms.kappa / rows / WHOLE)


def _when(at: str) -> str:
    try:
        return datetime.fromisoformat(at).strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return ""
