"""The ledger: any change is found and named, and replay gives the state and the spending."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import LedgerBroken
from mindfirl.core.ledger.events import (
    EVENTS,
    BudgetRaised,
    Closed,
    Commented,
    ContradictionAccepted,
    DatabaseConfirmed,
    Decided,
    DispatchConfirmed,
    Dispatched,
    DueMoved,
    Ended,
    Event,
    Explained,
    FindingProposed,
    FindingSettled,
    HandedOver,
    Linked,
    Opened,
    PairsWithdrawn,
    Paused,
    Refused,
    Released,
    ReleaseDeleted,
    Resumed,
    Shredded,
    Submitted,
    UnreadableAccepted,
)
from mindfirl.core.ledger.project_events import (
    Acknowledged,
    DecisionsCarried,
    DispatchProposed,
    DispatchRefused,
    DispatchWithdrawn,
    ForecastMade,
    Imported,
    KeysRotated,
    LabelsImported,
    MemberAdded,
    MemberRemoved,
    NumbersKept,
    PairsBrought,
    PlanSaved,
    Reported,
    RulesSet,
    Scored,
    ThresholdsSet,
    TruthJudged,
    ValuesDeleted,
    VersionPreviewed,
    WeightsMoved,
)
from mindfirl.core.ledger.replay import GENESIS, Entry, Head, read, replay, verify_chain
from mindfirl.core.policy import ASSIGNMENT_STATES
from mindfirl.core.values.schema import LEVELS
from tests.conftest import Figure
from tests.support.proof import FULL

ATTRIBUTES = ("first", "last", "born")
DISPATCHED = Dispatched(
    assignment="a1",
    population="sha256:0",
    pairs=5_000,
    attributes=ATTRIBUTES,
    kappa=2,
    accounting="paper",
    budget=500_000_000,
    settings=(("date_swap", "digits"),),
)


def chain(events: list[Event]) -> list[Entry]:
    head, entries = Head(), []
    for number, event in enumerate(events):
        entry, head = head.append(at=f"2026-01-01T00:00:{number:05}Z", actor="w1", event=event)
        entries.append(entry)
    return entries


def lines_of(events: list[Event]) -> list[str]:
    return [entry.line() for entry in chain(events)]


def openings(count: int) -> list[Event]:
    """This many openings, each pair's attributes one after the other, to full."""
    return [
        Opened("a1", 1 + number // 3, (ATTRIBUTES[number % 3],), "full", 1_000 + number)
        for number in range(count)
    ]


def test_entries_are_canonical_and_chained() -> None:
    first, second = chain([DISPATCHED, *openings(1)])
    assert first.previous == GENESIS
    digest, canonical = first.line().split(" ", 1)
    assert second.previous == digest
    assert canonical.isascii()
    assert canonical.startswith('{"actor":"w1","at":"2026-01-01T00:00:00000Z","event":{')
    assert ", " not in canonical


def test_the_stored_form_of_an_entry_never_changes() -> None:
    (entry,) = chain([Opened("a1", 2, ("prénom",), "full", 7)])
    canonical = (
        '{"actor":"w1","at":"2026-01-01T00:00:00000Z","event":{"assignment":"a1",'
        '"cells":["pr\\u00e9nom"],"charge":7,"kind":"opened","level":"full","pair":2},'
        f'"format":2,"made_by":"browser","number":1,"previous":"{64 * "0"}","round":1}}'
    )
    assert entry.line() == f"{sha256(canonical.encode('ascii')).hexdigest()} {canonical}"


def test_reading_gives_the_same_entries() -> None:
    refused = Refused("a1", 2, ("first", "last"), "full", "kappa")
    dispatched = replace(
        DISPATCHED, starting=(("first", "partial"),), lower=((2, "first", "masked"),)
    )
    entries = chain([dispatched, *openings(3), refused])
    assert read(entry.line() + "\n" for entry in entries) == entries


def test_the_head_of_a_sound_ledger() -> None:
    lines = lines_of([DISPATCHED, *openings(10)])
    head = verify_chain(lines)
    assert head == Head(11, lines[-1].split(" ", 1)[0])
    assert verify_chain(lines, head) == head
    assert verify_chain(lines, verify_chain(lines[:5])) == head
    assert verify_chain([]) == Head()


@pytest.mark.parametrize(
    ("bad", "number"),
    [
        (lambda lines: [*lines[:3], lines[3].replace("1002", "1003"), *lines[4:]], 4),
        (lambda lines: lines[:3] + lines[4:], 4),
        (lambda lines: [*lines[:3], lines[4], lines[3], *lines[5:]], 4),
        (lambda lines: lines[:3], 4),
        (lambda lines: lines[:0], 1),
    ],
    ids=["changed", "deleted", "exchanged", "cut", "gone"],
)
def test_the_first_bad_entry_is_named(bad: Callable[[list[str]], list[str]], number: int) -> None:
    lines = lines_of([DISPATCHED, *openings(10)])
    with pytest.raises(LedgerBroken) as caught:
        verify_chain(bad(lines), verify_chain(lines))
    assert caught.value.number == number


def resealed(line: str, old: str, new: str) -> str:
    """Change an entry and give it a digest that fits."""
    canonical = line.split(" ", 1)[1]
    assert old in canonical
    changed = canonical.replace(old, new)
    return f"{sha256(changed.encode()).hexdigest()} {changed}"


def test_a_change_with_a_fitting_digest_is_found_at_the_next_entry() -> None:
    lines = lines_of([DISPATCHED, *openings(10)])
    lines[3] = resealed(lines[3], "1002", "1003")
    with pytest.raises(LedgerBroken, match="does not follow") as caught:
        verify_chain(lines)
    assert caught.value.number == 5


def test_an_entry_put_in_or_doubled_is_found() -> None:
    lines = lines_of([DISPATCHED, *openings(10)])
    strange = lines_of([replace(DISPATCHED, assignment="a9"), *openings(10)])
    for bad in ([*lines[:4], lines[3], *lines[4:]], [*lines[:4], strange[4], *lines[5:]]):
        with pytest.raises(LedgerBroken, match="does not follow") as caught:
            verify_chain(bad)
        assert caught.value.number == 5


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ('"number":1', '"number":1.0', "does not follow"),
        ('"number":1', '"number":1,"number":1', "canonical"),
        ('"actor":"w1"', '"actor": "w1"', "canonical"),
    ],
)
def test_only_the_canonical_form_counts(old: str, new: str, rule: str) -> None:
    with pytest.raises(LedgerBroken, match=rule):
        verify_chain([resealed(lines_of([DISPATCHED])[0], old, new)])


def test_a_head_of_no_entries_has_no_digest() -> None:
    with pytest.raises(LedgerBroken, match="counts no entries") as caught:
        verify_chain([], Head(0, "f" * 64))
    assert caught.value.number == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"charge":1000', '"charge":"1"'),
        ('"charge":1000', '"charge":0.5'),
        ('"charge":1000', '"charge":true'),
        ('"pair":1', '"pair":"1"'),
        ('"cells":["first"]', '"cells":"first"'),
        ('"at":"2026', '"at":2026,"x":"'),
        ('"level":"full"', '"level":null'),
    ],
)
def test_fields_of_the_wrong_type_are_named_on_reading(old: str, new: str) -> None:
    lines = lines_of([DISPATCHED, *openings(1)])
    with pytest.raises(LedgerBroken) as caught:
        read([lines[0], resealed(lines[1], old, new)])
    assert caught.value.number == 2


@pytest.mark.parametrize(
    ("terms", "rule"),
    [
        ({"pairs": 0}, "pairs, kappa or attributes"),
        ({"kappa": 0}, "pairs, kappa or attributes"),
        ({"attributes": ()}, "pairs, kappa or attributes"),
        ({"attributes": ("first", "first")}, "pairs, kappa or attributes"),
        ({"accounting": "loose"}, "accounting or budget"),
        ({"budget": -1}, "accounting or budget"),
        ({"starting": (("zz", "full"),)}, "starting levels"),
        ({"starting": (("first", "open"),)}, "starting levels"),
        ({"lower": ((1, "first", "masked"),)}, "starts lower is not one"),
        (
            {"starting": (("first", "partial"),), "lower": ((5_001, "first", "masked"),)},
            "starts lower is not one",
        ),
        (
            {"starting": (("first", "partial"),), "lower": ((1, "first", "full"),)},
            "starts lower starts higher",
        ),
        ({"charge": -1}, "negative"),
    ],
)
def test_terms_that_cannot_be(terms: dict[str, Any], rule: str) -> None:
    with pytest.raises(LedgerBroken, match=rule):
        replay(chain([replace(DISPATCHED, **terms)]))


def test_an_account_cannot_be_changed() -> None:
    account = replay(chain([DISPATCHED, *openings(1)]))["a1"]
    with pytest.raises(TypeError):
        account.state(1)["first"] = "masked"  # type: ignore[index]  # that is the point


@pytest.mark.proof
def test_any_single_change_is_found_and_named(figure: Figure) -> None:
    tries, size = (1_000, 10_000) if FULL else (60, 1_000)
    lines = lines_of([DISPATCHED, *openings(size - 1)])
    head = verify_chain(lines)
    dice = random.Random(1)
    found = dict.fromkeys(["change", "deletion", "exchange", "cut"], 0)
    for number in range(tries):
        sort = list(found)[number % len(found)]
        place = dice.randrange(len(lines) - (sort == "exchange"))
        broken = list(lines)
        if sort == "change":
            line = lines[place]
            at = dice.randrange(len(line))
            other = dice.choice([c for c in '0123456789abcdef{}":, ' if c != line[at]])
            broken[place] = line[:at] + other + line[at + 1 :]
        elif sort == "deletion":
            del broken[place]
        elif sort == "exchange":
            other_place = dice.randrange(place + 1, len(lines))
            broken[place], broken[other_place] = broken[other_place], broken[place]
        else:
            del broken[place:]
        with pytest.raises(LedgerBroken) as caught:
            verify_chain(broken, head)
        assert caught.value.number == place + 1
        found[sort] += 1
    assert sum(found.values()) == tries
    figure(f"ledger of {size:,} entries: {tries:,} of {tries:,} changes found and named, {found}")


def test_recomputing_all_later_digests_is_found_by_the_head() -> None:
    events: list[Event] = [DISPATCHED, *openings(20)]
    head = verify_chain(lines_of(events))
    events[5] = Opened("a1", 2, ("last",), "full", 1)
    forged = lines_of(events)
    verify_chain(forged)
    with pytest.raises(LedgerBroken, match="known head") as caught:
        verify_chain(forged, head)
    assert caught.value.number == head.entries


@pytest.mark.parametrize("canonical", ["[]", "not json", '{"number":1}', "1", "[" * 100_000])
def test_a_line_that_is_no_entry_is_named(canonical: str) -> None:
    line = f"{sha256(canonical.encode()).hexdigest()} {canonical}"
    with pytest.raises(LedgerBroken, match="entry 1: it is not an entry"):
        verify_chain([line])


def test_an_event_of_a_later_version_is_named() -> None:
    entry = chain([DISPATCHED])[0]
    canonical = entry.canonical().replace('"kind":"dispatched"', '"kind":"teleported"')
    line = f"{sha256(canonical.encode()).hexdigest()} {canonical}"
    with pytest.raises(LedgerBroken, match="unknown to this version"):
        read([line])


def test_replay_gives_state_and_spending() -> None:
    dispatched = replace(
        DISPATCHED,
        starting=(("first", "partial"), ("born", "partial")),
        lower=((2, "born", "masked"),),
        charge=7,
    )
    other = replace(DISPATCHED, assignment="a2")
    accounts = replay(
        chain(
            [
                dispatched,
                other,
                Opened("a1", 1, ("first", "last"), "full", 10),
                Refused("a1", 2, ("born",), "full", "kappa"),
                Opened("a2", 1, ("born",), "partial", 3),
                Opened("a2", 1, ("born",), "full", 4),
            ]
        )
    )
    assert accounts["a1"].spent == 17
    assert accounts["a1"].state(1) == {"first": "full", "last": "full", "born": "partial"}
    assert accounts["a1"].state(2) == {"first": "partial", "last": "masked", "born": "masked"}
    assert accounts["a2"].spent == 7
    assert accounts["a2"].state(1) == {"first": "masked", "last": "masked", "born": "full"}


@pytest.mark.parametrize(
    ("event", "rule"),
    [
        (DISPATCHED, "dispatched before"),
        (Opened("a9", 1, ("first",), "full", 1), "never dispatched"),
        (Opened("a1", 0, ("first",), "full", 1), "pair is not one of"),
        (Opened("a1", 5_001, ("first",), "full", 1), "pair is not one of"),
        (Opened("a1", 1, ("sex",), "full", 1), "cell is not one of"),
        (Opened("a1", 1, (), "full", 1), "cell is not one of"),
        (Opened("a1", 9, ("first",), "masked", 1), "open already"),
        (Opened("a1", 9, ("first",), "open", 1), "no such level"),  # type: ignore[arg-type]
        (Refused("a1", 9, ("first",), "full", "mood"), "no such reason"),  # type: ignore[arg-type]
        (Opened("a1", 1, ("first",), "full", 1), "open already"),
        (Opened("a1", 2, ("first",), "full", -1), "negative"),
        (Opened("a1", 2, ("first",), "full", 10**15), "overspent"),
        (Refused("a1", 1, ("first",), "partial", "budget"), "open already"),
    ],
)
def test_replay_names_the_entry_that_breaks_a_rule(event: Event, rule: str) -> None:
    entries = chain([DISPATCHED, Opened("a1", 1, ("first",), "full", 1), event])
    with pytest.raises(LedgerBroken, match=rule) as caught:
        replay(entries)
    assert caught.value.number == 3


def test_a_starting_charge_over_the_budget_breaks_the_ledger() -> None:
    with pytest.raises(LedgerBroken, match="entry 1: the budget is overspent"):
        replay(chain([replace(DISPATCHED, charge=10**15)]))


def test_a_budget_can_be_spent_to_its_last_unit() -> None:
    exact = DISPATCHED.budget * 2 * DISPATCHED.pairs * len(ATTRIBUTES) // DISPATCHED.kappa
    opened = Opened("a1", 1, ("first",), "full", exact)
    assert replay(chain([DISPATCHED, opened]))["a1"].spent == exact
    with pytest.raises(LedgerBroken, match="overspent"):
        replay(chain([DISPATCHED, replace(opened, charge=exact + 1)]))


def test_levels_only_rise_over_random_histories() -> None:
    dice = random.Random(7)
    for _ in range(200):
        events: list[Event] = [DISPATCHED]
        spent = 0
        levels = {(pair, cell): 0 for pair in (1, 2) for cell in ATTRIBUTES}
        for _ in range(12):
            pair, cell = dice.choice(list(levels))
            level = dice.randrange(3)
            if level > levels[pair, cell]:
                charge = dice.randrange(100)
                events.append(Opened("a1", pair, (cell,), LEVELS[level], charge))
                levels[pair, cell] = level
                spent += charge
        account = replay(chain(events))["a1"]
        assert account.spent == spent
        for (pair, cell), level in levels.items():
            assert account.state(pair)[cell] == LEVELS[level]


CONFIRMED = DispatchConfirmed(1, "m1", "m2")
CONTINUING = replace(DISPATCHED, assignment="a2", dispatch=1, continues="a1", person="w2")
OPENING = Opened("a1", 1, ("first",), "full", 1)


MADE: list[Event] = [
    ContradictionAccepted(1, "twins"),
    Linked(1, 1, 100, 60, 2, 1),
    Released(1, 1, 90, ("person", "database"), 3),
    FindingProposed(1, "note", "name", "a street of that name"),
    FindingSettled(1, "note", "name", 3, "a street of that name"),
    HandedOver(1, "data", "m1"),
    HandedOver(0, "labels", "m1"),
    ReleaseDeleted(1, "its term is over"),
]


STATES: list[Event] = [
    RulesSet((("second person", "no"),)),
    MemberAdded("m1", "manager"),
    MemberRemoved("m1", "manager"),
    Imported(1, 90, (("clinic", 90),), "digest"),
    DecisionsCarried(2, (1,), 30, 4, 1, "digest"),
    VersionPreviewed("clinic", (("unchanged", "80"), ("changed", "fewer than 10"))),
    TruthJudged(2, 140, (("recall", "about 90%"),)),
    LabelsImported(1, 2, 20, "a registry", "digest"),
    NumbersKept(2, 80, 70, 3, 4, "digest"),
    ValuesDeleted((("clinic", 90),), (("1", "digest"),)),
    Scored(1, 10, "-5.0", "5.0", "digest"),
    PairsBrought(1, 10, "-5.0", "5.0", "digest"),
    ThresholdsSet(1, "-4.0", "4.0"),
    WeightsMoved(1, "applied", "digest"),
    ForecastMade(1, 30, "digest"),
    PlanSaved(1, "digest"),
    Reported(1, "digest"),
    DispatchProposed(2, "m1", "digest"),
    DispatchWithdrawn(2),
    DispatchRefused(2, 50_000_000),
    KeysRotated((("old", "new"),)),
    Acknowledged(0, 0, "", (("the plan", "digest"),), 3, "digest", "the plan is another", "why"),
]
"""What tells of rows, and follows no rule."""


def test_every_event_reads_back() -> None:
    events: list[Event] = [
        DatabaseConfirmed("clinic", "a pilot"),
        UnreadableAccepted("clinic", ("birth_date",), "dates are missing"),
        CONFIRMED,
        replace(DISPATCHED, dispatch=1, person="w1", due="2030-01-31"),
        OPENING,
        Refused("a1", 2, ("first",), "full", "budget"),
        BudgetRaised("a1", 600_000_000, "the records are worse than we thought"),
        DueMoved("a1", ""),
        Paused("a1"),
        Resumed("a1"),
        Ended("a1", "left"),
        replace(CONTINUING, budget=1_000_000_000),
        Explained("a2", 1),
        Decided("a2", 1, 1, "digest"),
        Commented("a2", 1, 1, "digest"),
        PairsWithdrawn("a1", (1, 2)),
        Submitted("a2"),
        *STATES,
        *MADE,
        Closed("done"),
        Shredded(3),
    ]
    assert {type(event) for event in events} == set(EVENTS.values())
    entries = chain(events)
    assert read(entry.line() for entry in entries) == entries


def test_replay_tells_how_an_assignment_stands() -> None:
    terms = replace(DISPATCHED, due="2030-01-31")
    raised = BudgetRaised("a1", DISPATCHED.budget + 1, "why")
    events: list[Event] = [terms, OPENING, raised, DueMoved("a1", "2030-02-28"), Paused("a1")]
    account = replay(chain(events))["a1"]
    assert account.terms == terms
    assert (account.phase, account.budget, account.due) == ("paused", raised.budget, "2030-02-28")
    ended = replay(chain([*events, Ended("a1", "left")]))["a1"]
    assert (ended.phase, ended.spent, ended.terms.pairs) == ("ended", 1, 5_000)
    assert replay(chain([*events, Resumed("a1")]))["a1"].phase == "open"


def test_a_raised_budget_can_be_spent() -> None:
    exact = DISPATCHED.budget * 2 * DISPATCHED.pairs * len(ATTRIBUTES) // DISPATCHED.kappa
    more = replace(OPENING, charge=exact + 1)
    raised = BudgetRaised("a1", DISPATCHED.budget + 1, "why")
    assert replay(chain([DISPATCHED, raised, more]))["a1"].spent == exact + 1
    with pytest.raises(LedgerBroken, match="entry 2: the budget is overspent"):
        replay(chain([DISPATCHED, more, raised]))


@pytest.mark.parametrize(
    ("before", "event", "rule"),
    [
        ([], BudgetRaised("a1", DISPATCHED.budget, "why"), "does not rise"),
        ([], BudgetRaised("a1", DISPATCHED.budget - 1, "why"), "does not rise"),
        ([], BudgetRaised("a1", DISPATCHED.budget + 1, ""), "not said why"),
        (
            [BudgetRaised("a1", DISPATCHED.budget + 9, "why")],
            BudgetRaised("a1", DISPATCHED.budget + 9, "why"),
            "does not rise",
        ),
        ([], BudgetRaised("a9", DISPATCHED.budget + 1, "why"), "never dispatched"),
        ([], Paused("a9"), "never dispatched"),
        ([], Resumed("a1"), "is open"),
        ([Paused("a1")], Paused("a1"), "is paused"),
        ([Paused("a1")], OPENING, "is paused"),
        ([Paused("a1")], Refused("a1", 1, ("first",), "full", "kappa"), "is paused"),
        ([Ended("a1", "")], OPENING, "is ended"),
        ([Submitted("a1")], OPENING, "is submitted"),
        ([Submitted("a1")], Ended("a1", ""), "is submitted"),
        ([Paused("a1")], Submitted("a1"), "is paused"),
        ([Ended("a1", "")], Refused("a1", 1, ("first",), "full", "kappa"), "is ended"),
        ([Ended("a1", "")], Ended("a1", ""), "is ended"),
        ([Ended("a1", "")], Resumed("a1"), "is ended"),
        ([Ended("a1", "")], DueMoved("a1", ""), "is ended"),
        ([Ended("a1", "")], BudgetRaised("a1", 10**9, "why"), "is ended"),
        ([], CONFIRMED, "confirmed before"),
        ([], DispatchConfirmed(0, "m1", "m2"), "has no number"),
        ([], DispatchConfirmed(2, "", "m2"), "who proposed"),
        ([], DispatchConfirmed(2, "m1", ""), "who confirmed"),
        ([Ended("a1", "")], replace(CONTINUING, dispatch=2), "never confirmed"),
        ([], CONTINUING, "has not ended"),
        ([Paused("a1")], CONTINUING, "has not ended"),
        ([], replace(CONTINUING, continues="a9"), "has not ended"),
    ],
)
def test_changes_of_an_assignment_keep_their_rules(
    before: list[Event], event: Event, rule: str
) -> None:
    entries = chain([CONFIRMED, replace(DISPATCHED, dispatch=1), *before, event])
    with pytest.raises(LedgerBroken, match=rule) as caught:
        replay(entries)
    assert caught.value.number == len(entries)


def test_the_rest_of_an_ended_assignment_goes_on_in_another() -> None:
    first = replace(DISPATCHED, dispatch=1)
    accounts = replay(chain([CONFIRMED, first, OPENING, Ended("a1", "left"), CONTINUING]))
    assert (accounts["a1"].phase, accounts["a1"].spent) == ("ended", 1)
    assert (accounts["a2"].phase, accounts["a2"].spent) == ("open", 0)
    assert accounts["a2"].terms.continues == "a1"


STEPS = ["pause", "resume", "end", "submit", "raise", "open", "move"]


@given(st.lists(st.sampled_from(STEPS), max_size=12))
def test_any_history_keeps_the_states_and_opens_only_while_open(steps: list[str]) -> None:
    """Replay says the same of every step as a model that knows three things."""
    events: list[Event] = [DISPATCHED]
    phase, budget, opened = "open", DISPATCHED.budget, 0
    for number, step in enumerate(steps, start=1):
        choices: dict[str, tuple[Event, str]] = {
            "pause": (Paused("a1"), "paused"),
            "resume": (Resumed("a1"), "open"),
            "end": (Ended("a1", ""), "ended"),
            "submit": (Submitted("a1"), "submitted"),
            "raise": (BudgetRaised("a1", budget + 1, "why"), phase),
            "move": (DueMoved("a1", f"2030-01-{number:02}"), phase),
            "open": (replace(OPENING, pair=number), phase),
        }
        event, after = choices[step]
        sound = {
            "open": phase == "open",
            "raise": bool(ASSIGNMENT_STATES[phase]),
            "move": bool(ASSIGNMENT_STATES[phase]),
        }.get(step, after in ASSIGNMENT_STATES[phase])
        if not sound:
            with pytest.raises(LedgerBroken, match=f"is {phase}"):
                replay(chain([*events, event]))
            continue
        events.append(event)
        phase, opened = after, opened + (step == "open")
        budget += step == "raise"
    account = replay(chain(events))["a1"]
    assert (account.phase, account.budget, account.spent) == (phase, budget, opened)


@pytest.mark.parametrize(
    ("events", "broken"),
    [
        ([Explained("a1", 1)], "never dispatched"),
        ([DISPATCHED, Explained("a1", 9_999)], "not one of the assignment's"),
        ([DISPATCHED, Paused("a1"), Explained("a1", 1)], "is paused"),
        ([ContradictionAccepted(2, "why")], "not the next one"),
        ([ContradictionAccepted(1, "")], "not said why"),
        ([DatabaseConfirmed("clinic", "")], "not said why"),
        ([UnreadableAccepted("clinic", ("birth_date",), "")], "not said why"),
        ([Linked(2, 1, 1, 1, 0, 0)], "not the next one"),
        ([Released(1, 1, 1, (), 0)], "of no linkage"),
        ([*MADE[:3], Released(3, 1, 1, (), 0)], "not the next one"),
        ([HandedOver(1, "data", "m1")], "no such release"),
        ([FindingProposed(1, "note", "name", "why")], "no such release"),
        ([*MADE, HandedOver(1, "data", "m1")], "was deleted"),
        ([Shredded(1)], "is not closed"),
        ([Closed("")], "not said why"),
        ([Closed("why"), Closed("why")], "closed before"),
        ([Closed("why"), Shredded(1), Shredded(1)], "destroyed before"),
        ([Closed("why"), Linked(1, 1, 1, 1, 0, 0)], "the project is closed"),
        ([DISPATCHED, Closed("why"), OPENING], "the project is closed"),
    ],
)
def test_what_is_made_of_decisions_follows_an_order(events: list[Event], broken: str) -> None:
    with pytest.raises(LedgerBroken, match=broken) as wrong:
        replay(chain(events))
    assert wrong.value.number == len(events)


def test_a_release_can_be_given_and_deleted_when_the_project_is_closed() -> None:
    replay(chain([*MADE[:3], Closed("done"), MADE[5], MADE[7], Shredded(2)]))


def about_pair(number: int) -> dict[str, list[Event]]:
    """Events that name a pair of an assignment."""
    lower = replace(
        DISPATCHED, starting=(("first", "partial"),), lower=((number, "first", "masked"),)
    )
    return {
        "opened": [DISPATCHED, Opened("a1", number, ("first",), "full", 0)],
        "refused": [DISPATCHED, Refused("a1", number, ("first",), "full", "kappa")],
        "explained": [DISPATCHED, Explained("a1", number)],
        "lower": [lower],
    }


@pytest.mark.parametrize("kind", about_pair(1))
def test_pairs_are_numbered_from_one_to_the_size_of_the_assignment(kind: str) -> None:
    for number in (1, DISPATCHED.pairs):
        assert replay(chain(about_pair(number)[kind]))["a1"].spent == 0
    for number in (-1, 0, DISPATCHED.pairs + 1):
        with pytest.raises(LedgerBroken, match="not one of the assignment's"):
            replay(chain(about_pair(number)[kind]))


def test_an_assignment_without_a_budget_opens_what_costs_nothing() -> None:
    nothing = replace(DISPATCHED, budget=0)
    free = Opened("a1", 1, ("first",), "full", 0)
    assert replay(chain([nothing, free]))["a1"].budget == 0
    with pytest.raises(LedgerBroken, match="overspent"):
        replay(chain([nothing, replace(free, charge=1)]))


def test_time_does_not_run_backwards() -> None:
    first, head = Head().append(at="2026-01-02T", actor="w1", event=DISPATCHED)
    second, _ = head.append(at="2026-01-01T", actor="w1", event=OPENING)
    assert second.at == first.at
    earlier = replace(second, at="2026-01-01T").line()
    with pytest.raises(LedgerBroken, match="entry 2: its time is before"):
        read([first.line(), earlier])


def test_a_ledger_of_the_older_form_is_refused() -> None:
    entry, _ = Head().append(at="2026-01-02T", actor="w1", event=DISPATCHED)
    content = json.loads(entry.canonical())
    for change in ({"format": 1}, {"format": "2"}):
        with pytest.raises(LedgerBroken, match="entry 1: it is in an older form"):
            read([_sealed({**content, **change})])
    del content["format"]
    with pytest.raises(LedgerBroken, match="entry 1: it is in an older form"):
        read([_sealed(content)])


def _sealed(content: dict[str, object]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return f"{hashlib.sha256(text.encode()).hexdigest()} {text}"


def test_an_entry_says_how_it_was_made_and_what_it_can_be_found_by() -> None:
    entry, _ = Head().append(at="2026-01-02T", actor="w1", event=OPENING, made_by="command")
    about = ("opened", "w1", "command", 1, OPENING.assignment, OPENING.pair)
    assert entry.columns == (2, *about)
    for change in ({"made_by": "magic"}, {"round": 0}):
        wrong = replace(entry, **change)  # on purpose
        with pytest.raises(LedgerBroken, match="how it was made, or in which round"):
            read([wrong.line()])


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (Decided("a1", 1, 2, "digest"), "not the next decision"),
        (Commented("a1", 1, 2, "digest"), "not the next decision"),
        (Decided("a1", 9_999, 1, "digest"), "not one of the assignment's"),
        (PairsWithdrawn("a1", ()), "not one of the assignment's"),
        (PairsWithdrawn("a1", (9_999,)), "not one of the assignment's"),
    ],
)
def test_decisions_come_one_after_the_other(event: Event, why: str) -> None:
    with pytest.raises(LedgerBroken, match=why):
        replay(chain([DISPATCHED, event]))
    again: list[Event] = [DISPATCHED, Decided("a1", 1, 1, "d"), Decided("a1", 1, 2, "e")]
    replay(chain(again))
    with pytest.raises(LedgerBroken, match="the assignment is ended"):
        replay(chain([DISPATCHED, Ended("a1", "left"), Decided("a1", 1, 1, "d")]))
