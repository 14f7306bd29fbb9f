"""The ledger as auditors and managers see it: entries in words, whether it holds, receipts, a copy.

Reasons appear as managers typed them; nothing else was ever typed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final, cast
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.errors import LedgerBroken, LedgerDiffers, ReceiptBroken
from mindfirl.core.ledger import events
from mindfirl.core.ledger.events import EVENTS, Opened, Refused
from mindfirl.core.policy import COMMAND_LINE, INSTALLATION
from mindfirl.core.risk.percent import WHOLE, write_percent
from mindfirl.services import ledger as audit
from mindfirl.store.models import Assignment
from mindfirl.store.queries import entries
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import words_of
from mindfirl.web.http.pages import status_for
from mindfirl.web.page.fields import whole_number
from mindfirl.web.page.figures import count, percent
from mindfirl.web.page.labels import label
from mindfirl.web.page.steps import step_page, to_page
from mindfirl.web.plan.forms import LEVEL_WORDS

_KINDS: Final = {
    "rules set": gettext_lazy("Project rules set"),
    "member added": gettext_lazy("Role given"),
    "member removed": gettext_lazy("Role removed"),
    "imported": gettext_lazy("Data imported"),
    "decisions carried": gettext_lazy("Decisions carried over"),
    "version previewed": gettext_lazy("New version previewed"),
    "truth judged": gettext_lazy("Compared with the truth"),
    "labels imported": gettext_lazy("Known answers imported"),
    "numbers kept": gettext_lazy("Person numbers carried over"),
    "values deleted": gettext_lazy("Values of older versions deleted"),
    "scored": gettext_lazy("Pairs found"),
    "pairs brought": gettext_lazy("Pairs uploaded"),
    "thresholds set": gettext_lazy("Thresholds set"),
    "weights moved": gettext_lazy("Match weights adjusted"),
    "forecast made": gettext_lazy("Forecast created"),
    "plan saved": gettext_lazy("Plan saved"),
    "dispatch proposed": gettext_lazy("Dispatch proposed"),
    "dispatch withdrawn": gettext_lazy("Dispatch withdrawn"),
    "dispatch refused": gettext_lazy("Dispatch refused: above a budget or the common limit"),
    "decided": gettext_lazy("Decided"),
    "commented": gettext_lazy("Commented"),
    "pairs withdrawn": gettext_lazy("Pairs reassigned"),
    "keys rotated": gettext_lazy("Keys changed"),
    "acknowledged": gettext_lazy("Outside change acknowledged"),
    "dispatch confirmed": gettext_lazy("Dispatch confirmed"),
    "dispatched": gettext_lazy("Pairs assigned"),
    "opened": gettext_lazy("Opened"),
    "refused": gettext_lazy("Opening refused"),
    "budget raised": gettext_lazy("Budget raised"),
    "due moved": gettext_lazy("Due date changed"),
    "paused": gettext_lazy("Paused"),
    "resumed": gettext_lazy("Resumed"),
    "ended": gettext_lazy("Ended"),
    "submitted": gettext_lazy("Submitted"),
    "explained": gettext_lazy("Weight explained"),
    "database confirmed": gettext_lazy("Database confirmed"),
    "unreadable accepted": gettext_lazy("Unreadable columns accepted"),
    "contradiction accepted": gettext_lazy("Contradiction accepted"),
    "linked": gettext_lazy("Records linked"),
    "released": gettext_lazy("Release created"),
    "finding proposed": gettext_lazy("Finding proposed for acceptance"),
    "finding settled": gettext_lazy("Finding accepted"),
    "handed over": gettext_lazy("Handed over"),
    "release deleted": gettext_lazy("Release deleted"),
    "reported": gettext_lazy("Report created"),
    "closed": gettext_lazy("Project closed"),
    "shredded": gettext_lazy("Keys destroyed"),
}
_REFUSALS: Final = {
    "kappa": gettext_lazy("too few records would be left"),
    "budget": gettext_lazy("the budget is too small"),
    "together": gettext_lazy("the limit for all together"),
}
_LARGEST: Final = 1 << 16
"""No receipt has this many bytes."""


@dataclass(frozen=True, slots=True)
class EntryRow:
    number: str
    when: str
    who: str
    what: str
    assignment: str
    pair: str
    details: tuple[str, ...]
    price: str


@dataclass(frozen=True, slots=True)
class EntryWords:
    """What the words of entries depend on: the numbers of people and of assignments."""

    people: entries.People
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


def kinds() -> dict[str, str]:
    return {kind: str(_KINDS.get(kind, kind)) for kind in EVENTS}


def assignment_choices(words: EntryWords) -> list[tuple[str, str]]:
    choice = _("%(n)s, %(who)s")
    return [
        (str(each.pk), choice % {"n": count(place), "who": words.who(str(each.account_id))})
        for place, each in enumerate(words.assignments, start=1)
    ]


def people_choices(actors: Sequence[str], words: EntryWords) -> dict[str, tuple[str, str]]:
    """Return everybody who made entries, by a key that does not name them, with their words."""
    named = sorted((words.who(actor), actor) for actor in actors)
    return {shown.lower().replace(" ", "-"): (actor, shown) for shown, actor in named}


def entry_row(each: entries.ReadEntry, words: EntryWords) -> EntryRow:
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


def _details(each: entries.ReadEntry, words: EntryWords) -> Iterator[str]:
    assert each.entry is not None
    event = each.entry.event
    if isinstance(event, Opened | Refused):
        yield from _steps(event, each.before)
    if each.kind in _MORE:
        named = {name: words.who(getattr(event, name, "")) for name in ("person", "proposed_by")}
        yield str(_MORE[each.kind]) % {**_figures(event), **named}
    if isinstance(event, events.Dispatched) and ("hints", "on") in event.settings:
        yield _("suggestions on")
    if isinstance(event, Refused):
        yield str(_REFUSALS[event.reason])
    elif reason := getattr(event, "reason", ""):
        yield reason


_MORE: Final = {
    "rules set": gettext_lazy("%(rules)s"),
    "member added": gettext_lazy("%(role)s: %(person)s"),
    "member removed": gettext_lazy("%(role)s: %(person)s"),
    "imported": gettext_lazy("version %(version)s: %(records)s records"),
    "decisions carried": gettext_lazy(
        "version %(version)s: pairs with decisions that remain valid: %(carried)s, to be reviewed "
        "again: %(again)s, void: %(void)s"
    ),
    "labels imported": gettext_lazy(
        "labels %(labels)s of version %(version)s: %(pairs)s pairs, from %(source)s"
    ),
    "truth judged": gettext_lazy(
        "version %(version)s, a file of %(pairs)s true pairs; shown: %(shown)s"
    ),
    "version previewed": gettext_lazy("database %(database)s; nothing was imported"),
    "values deleted": gettext_lazy(
        "databases and their records: %(databases)s; versions without an index from here on: "
        "%(indexes)s"
    ),
    "numbers kept": gettext_lazy(
        "linkage %(linkage)s: %(kept)s of %(persons)s persons kept their number; merged: "
        "%(merged)s, split: %(split)s"
    ),
    "scored": gettext_lazy(
        "version %(version)s: %(pairs)s pairs; thresholds %(lower)s and %(upper)s"
    ),
    "pairs brought": gettext_lazy(
        "version %(version)s: %(pairs)s pairs; thresholds %(lower)s and %(upper)s"
    ),
    "thresholds set": gettext_lazy("version %(version)s: %(lower)s and %(upper)s"),
    "weights moved": gettext_lazy("version %(version)s: %(change)s"),
    "forecast made": gettext_lazy("version %(version)s: %(pairs)s pairs for people"),
    "plan saved": gettext_lazy("revision %(revision)s"),
    "dispatch proposed": gettext_lazy("dispatch %(dispatch)s"),
    "dispatch withdrawn": gettext_lazy("dispatch %(dispatch)s"),
    "dispatch refused": gettext_lazy("dispatch %(dispatch)s"),
    "decided": gettext_lazy("revision %(revision)s"),
    "commented": gettext_lazy("revision %(revision)s"),
    "pairs withdrawn": gettext_lazy("pairs: %(numbers)s"),
    "keys rotated": gettext_lazy("all files were encrypted with new keys"),
    "acknowledged": gettext_lazy("%(found)s"),
    "dispatch confirmed": gettext_lazy("dispatch %(dispatch)s, proposed by %(proposed_by)s"),
    "dispatched": gettext_lazy("pairs: %(pairs)s, to %(person)s, budget %(budget)s"),
    "budget raised": gettext_lazy("to %(budget)s"),
    "due moved": gettext_lazy("to %(due)s"),
    "linked": gettext_lazy(
        "linkage %(linkage)s of version %(version)s: %(records)s records, %(persons)s persons; "
        "rule: %(rule)s; pairs left unsettled: %(unsettled)s, of them linked by weight: "
        "%(linked_by_weight)s; contradictions accepted: %(accepted)s"
    ),
    "released": gettext_lazy(
        "release %(release)s of linkage %(linkage)s: %(rows)s rows; columns: %(columns)s; "
        "found by the check: %(blocked)s"
    ),
    "finding proposed": gettext_lazy("release %(release)s, column %(column)s: %(finding)s"),
    "finding settled": gettext_lazy(
        "release %(release)s, column %(column)s: %(finding)s, %(count)s times"
    ),
    "handed over": gettext_lazy("%(what)s of release %(release)s, to %(person)s"),
    "release deleted": gettext_lazy("release %(release)s"),
    "reported": gettext_lazy("report %(report)s"),
    "shredded": gettext_lazy("keys: %(keys)s"),
}


_RULES: Final = {
    "managers may review": gettext_lazy("managers may review"),
    "second person": gettext_lazy("second person"),
    "second factor": gettext_lazy("second factor"),
    "idle minutes": gettext_lazy("idle minutes"),
    "synthetic": gettext_lazy("synthetic"),
    "fewest records": gettext_lazy("fewest records"),
    "least persons": gettext_lazy("least persons"),
    "stable numbers": gettext_lazy("stable numbers"),
    "pass mark": gettext_lazy("pass mark"),
    "yes": gettext_lazy("yes"),
    "no": gettext_lazy("no"),
}


def _figures(event: events.Event) -> dict[str, str]:
    found = {each.name: getattr(event, each.name) for each in fields(event)}
    written = {name: _written(value) for name, value in found.items()}
    if "column" in found:
        written["column"] = label(found["column"])
    if "columns" in found:
        written["columns"] = ", ".join(map(label, found["columns"]))
    if "budget" in found:
        written["budget"] = f"{write_percent(found['budget'])}%"
    return written


def _written(value: object) -> str:
    if isinstance(value, int):
        return count(value)
    if isinstance(value, tuple):
        return ", ".join(_in_one(each) for each in value) or "–"
    return str(value) or "–"


def _in_one(value: object) -> str:
    parts = value if isinstance(value, tuple) else (value,)
    return ": ".join(str(_RULES.get(each, each)) for each in parts)


def _steps(event: Opened | Refused, before: Mapping[str, str]) -> Iterator[str]:
    """Say from which level to which cells were opened; those of one level together."""
    for level in dict.fromkeys(before.values()):
        cells = ", ".join(label(name) for name in event.cells if before[name] == level)
        now, after = (str(LEVEL_WORDS[each]).lower() for each in (level, event.level))
        yield _("%(cells)s: %(level)s → %(to)s") % {"cells": cells, "level": now, "to": after}


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


def ledger(request: Request) -> HttpResponse:
    return _page(request)


def ledger_verify(request: Request) -> HttpResponse:
    try:
        found = audit.verify_project(project=request.project, actor=request.actor)
    except (LedgerBroken, LedgerDiffers) as error:
        return to_page(request, "ledger", wrong=words_of(error))
    return to_page(request, "ledger", done=_holds(found))


def ledger_file(request: Request) -> HttpResponse:
    answer = StreamingHttpResponse(
        audit.ledger_file(project=request.project, actor=request.actor),
        content_type="text/plain; charset=us-ascii",
        headers=_as_file(f"ledger-{request.project.name}.txt"),
    )
    return cast("HttpResponse", answer)


def ledger_receipt(request: Request) -> HttpResponse:
    try:
        taken = audit.take_receipt(project=request.project, actor=request.actor)
    except LedgerBroken as error:
        return to_page(request, "ledger", wrong=words_of(error))
    name = f"receipt-{request.project.name}-{taken.entries}.json"
    return HttpResponse(
        f"{taken.line()}\n", content_type="application/json", headers=_as_file(name)
    )


def ledger_receipt_check(request: Request) -> HttpResponse:
    sent = request.FILES.get("receipt")
    if sent is None or (sent.size or 0) > _LARGEST:
        return _page(
            request,
            wrong=_("No receipt was selected. Choose a receipt file that was downloaded here."),
        )
    try:
        text = sent.read().decode("ascii", errors="replace")
        taken, found = audit.check_receipt(project=request.project, actor=request.actor, text=text)
    except ReceiptBroken as error:
        return _page(request, wrong=words_of(error))
    except (LedgerBroken, LedgerDiffers) as error:
        messages.error(request, _("The receipt does not match the ledger. ") + words_of(error))
    else:
        words = _("The receipt of %(at)s matches: its %(entries)s entries are unchanged.")
        fits = words % {"at": taken.at, "entries": count(taken.entries)}
        messages.success(request, f"{fits} {_holds(found)}")
    return redirect("ledger", request.project.name)


def _page(request: Request, *, wrong: str = "") -> HttpResponse:
    assignments = entries.assignments_by_number(request.project)
    words = EntryWords(entries.people_of(request.project, assignments), assignments)
    people = people_choices(entries.actors_of(request.project), words)
    rounds = entries.rounds_of(request.project)
    asked = _asked(request, assignments, people, rounds)
    number = request.GET.get("page", "1")
    found = entries.entries_page(request.project, page=number, asked=asked)
    status = status_for(wrong)
    return step_page(
        request,
        "",
        template="ledger/page.html",
        entries=[entry_row(each, words) for each in found.entries],
        page=found,
        total=count(found.total),
        filtered=bool(asked),
        chosen_assignment=str(asked.assignment or ""),
        chosen_kind=asked.kind,
        chosen_person=next(
            (key for key, (who, _words) in people.items() if who == asked.actor), ""
        ),
        chosen_round=asked.round,
        people=[(key, shown) for key, (_who, shown) in people.items()],
        rounds=rounds if len(rounds) > 1 else [],
        kinds=kinds(),
        assignments=assignment_choices(words),
        newer=_address(request, found, -1),
        older=_address(request, found, +1),
        last=request.project.signed_heads.order_by("-pk").first(),
        wrong=wrong,
        status=status,
    )


def _asked(
    request: Request,
    assignments: list[Assignment],
    people: Mapping[str, tuple[str, str]],
    rounds: Sequence[int],
) -> entries.EntryFilter:
    """Return which entries are asked for; what nobody could have chosen asks for nothing."""
    known: dict[str, UUID] = {str(each.pk): each.pk for each in assignments}
    kind, number = request.GET.get("kind", ""), whole_number(request.GET.get("round", ""), 0)
    return entries.EntryFilter(
        known.get(request.GET.get("assignment", "")),
        kind if kind in EVENTS else "",
        people.get(request.GET.get("person", ""), ("", ""))[0],
        number if number in rounds else 0,
    )


def _address(request: Request, shown: entries.EntriesPage, step: int) -> str:
    if not 1 <= shown.page + step <= shown.pages:
        return ""
    query = request.GET.copy()
    query["page"] = str(shown.page + step)
    return f"{reverse('ledger', args=[request.project.name])}?{query.urlencode()}"


def _holds(found: audit.Verified) -> str:
    signed = found.signed + found.signed_by_others
    heads = ngettext("%(n)s signed head", "%(n)s signed heads", signed) % {"n": count(signed)}
    words = ngettext(
        "The ledger is intact: its %(entries)s entry follows the rules and matches %(heads)s. "
        "Head: %(digest)s",
        "The ledger is intact: all %(entries)s entries are chained, follow the rules and match "
        "%(heads)s. Head: %(digest)s",
        found.head.entries,
    )
    about = {"entries": count(found.head.entries), "heads": heads}
    holds = words % {**about, "digest": found.head.digest}
    return holds if found.with_tables else f"{holds} {_CHAIN_ALONE}"


_CHAIN_ALONE: Final = gettext_lazy(
    "The tables could not be compared with it, because the keys of this project were destroyed."
)


def _as_file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
