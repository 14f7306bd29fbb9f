"""What the tables must hold by a ledger: every kind of entry, and the first row that differs."""

from __future__ import annotations

import pytest

from mindfirl.core.ledger import events, project_events
from mindfirl.core.ledger.chain import Head
from mindfirl.core.ledger.events import EVENTS, Event
from mindfirl.core.ledger.expected_rows import (
    _CHANGES,
    PROJECT_RULES,
    PROJECT_STATE,
    Difference,
    ExpectedRows,
    cell_row,
    comment_row,
    decision_row,
    differences,
    expected_rows,
    finding_row,
    latest_decision_row,
    member_row,
    pair_row,
    proposed_content,
    proposed_row,
    rules_content,
    without_assignments,
    without_digests,
)
from mindfirl.core.policy import COMMAND_LINE

MINE = "assignment a1"
DISPATCHED = events.Dispatched(
    "a1", "people", 20, ("first", "last"), 1, "paper", 500,
    charge=7, dispatch=1, due="2030-05-05", terms_digest="terms", pairs_digest="pairs",
)  # fmt: skip
ASSIGNED = {
    MINE: "terms",
    f"the pairs of {MINE}": "pairs",
    f"the state of {MINE}": "open",
    f"the budget of {MINE}": "500",
    f"the spending of {MINE}": "7",
    f"the due day of {MINE}": "2030-05-05",
    "the state of dispatch 1": "dispatched",
}


def told(*events: Event) -> ExpectedRows:
    head, entries = Head(), []
    for event in events:
        entry, head = head.append(at="2030-05-05T12:00:00Z", actor="w1", event=event)
        entries.append(entry)
    return expected_rows(entries)


def contents(*events: Event) -> dict[str, str]:
    return told(*events).contents


def changed(*events: Event) -> dict[str, str]:
    """What rows hold after an assignment was given out and more happened, where that differs."""
    found = contents(DISPATCHED, *events)
    return {name: found[name] for name in found if found[name] != ASSIGNED.get(name)}


def test_an_assignment_is_what_it_was_given_out_as() -> None:
    assert contents(DISPATCHED) == ASSIGNED
    assert set(told(DISPATCHED).told_by.values()) == {1}


def test_openings_are_spent_and_name_their_cells() -> None:
    opened = events.Opened("a1", 3, ("first", "last"), "full", 5)
    assert changed(opened, events.Opened("a1", 4, ("last",), "partial", 2)) == {
        f"the spending of {MINE}": "14",
        cell_row("a1", 3, "first", "full"): "2",
        cell_row("a1", 3, "last", "full"): "2",
        cell_row("a1", 4, "last", "partial"): "3",
    }
    assert changed(events.Refused("a1", 3, ("first",), "full", "kappa")) == {}
    broken = project_events.Acknowledged(
        0, 0, "", ((f"the spending of {MINE}", "lost"),), 0, "", "", "known"
    )
    assert changed(broken, opened)[f"the spending of {MINE}"] == "5", "what was accepted is no sum"


def test_decisions_and_comments_stay_and_the_latest_counts() -> None:
    assert changed(
        events.Decided("a1", 3, 1, "one"),
        events.Decided("a1", 3, 2, "two"),
        events.Commented("a1", 3, 1, "words"),
        events.Explained("a1", 3),
        events.PairsWithdrawn("a1", (5, 6)),
    ) == {
        decision_row("a1", 3, 1): "one",
        decision_row("a1", 3, 2): "two",
        latest_decision_row("a1", 3): "two",
        comment_row("a1", 3, 1): "words",
        pair_row("explained", "a1", 3): "explained",
        pair_row("withdrawn", "a1", 5): "withdrawn",
        pair_row("withdrawn", "a1", 6): "withdrawn",
    }


@pytest.mark.parametrize(
    ("event", "name", "content"),
    [
        (events.BudgetRaised("a1", 900, "more"), f"the budget of {MINE}", "900"),
        (events.DueMoved("a1", ""), f"the due day of {MINE}", ""),
        (events.Paused("a1"), f"the state of {MINE}", "paused"),
        (events.Ended("a1", "ill"), f"the state of {MINE}", "ended"),
    ],
)
def test_what_changes_of_an_assignment(event: Event, name: str, content: str) -> None:
    assert changed(event) == {name: content}


def test_a_paused_assignment_goes_on_and_is_submitted_with_its_decisions() -> None:
    assert changed(events.Paused("a1"), events.Resumed("a1")) == {}
    assert changed(events.Submitted("a1", "all")) == {
        f"the state of {MINE}": "submitted",
        f"the decisions of {MINE}": "all",
    }


def test_dispatches_are_proposed_confirmed_or_withdrawn() -> None:
    proposed = project_events.DispatchProposed(1, "m1", "plan")
    assert contents(proposed) == {"dispatch 1": "plan", "the state of dispatch 1": "proposed"}
    assert contents(proposed, events.DispatchConfirmed(1, "m1", "m2")) == {
        "dispatch 1": "plan",
        "the state of dispatch 1": "confirmed",
        "the confirmation of dispatch 1": "m2",
    }
    withdrawn = contents(proposed, project_events.DispatchWithdrawn(1))
    assert withdrawn["the state of dispatch 1"] == "withdrawn"


def test_versions_pairs_thresholds_and_plans() -> None:
    first = project_events.Imported(1, 9, (("people", 9),), "one")
    scored = project_events.Scored(1, 5, "-1.0", "2.0", "found")
    assert contents(
        first, scored, project_events.ThresholdsSet(1, "0.0", "3.0"),
        project_events.WeightsMoved(1, "applied", "moved"), project_events.PlanSaved(1, "plan"),
        project_events.ForecastMade(1, 5, "forecast"), project_events.Reported(1, "report"),
    ) == {
        "import version 1": "one",
        "the pairs of version 1": "moved",
        "the thresholds of version 1": "0.0 3.0",
        "the plan": "plan",
        "the forecast of version 1": "forecast",
        "report 1": "report",
    }  # fmt: skip
    brought = project_events.PairsBrought(1, 7, "0.0", "0.0", "brought")
    assert contents(first, scored, brought)["the pairs of version 1"] == "brought"


def test_labels_that_were_imported_are_rows_of_their_own() -> None:
    labels = [project_events.LabelsImported(n, 1, 9, "file", f"digest {n}") for n in (1, 2)]
    assert contents(*labels) == {"labels 1": "digest 1", "labels 2": "digest 2"}


def test_person_numbers_that_stay_are_rows_of_their_own() -> None:
    kept = project_events.NumbersKept(2, 80, 70, 3, 4, "files")
    assert contents(kept) == {"the person numbers of linkage 2": "files"}


def test_a_version_without_its_values_has_another_digest() -> None:
    imported = project_events.Imported(1, 9, (("people", 9),), "one")
    deleted = project_events.ValuesDeleted((("people", 9),), (("1", "less"),))
    assert contents(imported, deleted) == {"import version 1": "less"}


def test_older_versions_may_be_gone_and_newer_ones_may_not() -> None:
    expected = told(
        project_events.Imported(1, 9, (("people", 9),), "one"),
        project_events.Scored(1, 5, "-1.0", "2.0", "found"),
        project_events.Imported(2, 19, (("people", 19),), "two"),
    )
    assert differences(expected, {"import version 2": "two"}) == []
    assert differences(expected, {"import version 1": "one"}) == [
        Difference("import version 2", 3, "")
    ]
    assert differences(expected, {"import version 1": "x", "import version 2": "two"}) == [
        Difference("import version 1", 1, "x")
    ]


def test_the_rules_of_a_project_are_those_that_were_set_last() -> None:
    first = project_events.RulesSet((("second person", "no"), ("least persons", "10")))
    second = project_events.RulesSet((("second person", "yes"), ("least persons", "10")))
    assert contents(first) == {PROJECT_RULES: "second person: no, least persons: 10"}
    expected = told(first, second)
    (found,) = differences(expected, {PROJECT_RULES: rules_content(first.rules)})
    assert found.words == "the set of rules of the project is not what entry 2 tells"


def test_members_come_and_go() -> None:
    added = project_events.MemberAdded("p1", "auditor")
    assert contents(added) == {member_row("p1", "auditor"): "member"}
    expected = told(added, project_events.MemberRemoved("p1", "auditor"))
    assert expected.contents == {}
    (found,) = differences(expected, {member_row("p1", "auditor"): "member"})
    assert found.words == "the role auditor of p1 is not what entry 2 tells"


def test_what_is_linked_and_released() -> None:
    linked = events.Linked(1, 1, 9, 5, 0, 0, digest="persons")
    released = events.Released(1, 1, 9, ("score",), 1, "blocked", "choices", "files", "covered")
    proposed = events.FindingProposed(1, "score", "rare", "a known code")
    settled = events.FindingSettled(1, "score", "rare", 2, "a known code", state="ready")
    given = [events.HandedOver(1, "data", "p1"), events.HandedOver(1, "data", COMMAND_LINE.name)]
    labels = events.HandedOver(0, "labels", "p1")
    accepted = events.ContradictionAccepted(1, "twins", "pairs")
    found = {
        "acceptance 1": "pairs",
        "linkage 1": "persons",
        "release 1": "choices",
        "the files of release 1": "files",
        "the coverage of release 1": "covered",
        "the state of release 1": "ready",
        finding_row(1, "score", "rare"): "a known code",
        "the handovers of release 1": "data p1;data ;",
    }
    waiting = contents(linked, released, proposed)
    assert waiting[proposed_row(1, "score", "rare")] == proposed_content("w1", "a known code")
    assert contents(accepted, linked, released, proposed, settled, *given, labels) == found
    deleted = contents(
        accepted, linked, released, settled, *given, events.ReleaseDeleted(1, "over")
    )
    del found["the files of release 1"]
    assert deleted == {**found, "the state of release 1": "deleted"}
    nobody_has_it = contents(linked, released, events.ReleaseDeleted(1, "over"))
    assert "the coverage of release 1" not in nobody_has_it


def test_closing_withdraws_what_was_not_given_out() -> None:
    confirmed = events.DispatchConfirmed(3, "m1", "m1")
    proposed = [project_events.DispatchProposed(number, "m1", "plan") for number in (1, 2, 3)]
    closed: list[Event] = [DISPATCHED, *proposed[1:], confirmed, events.Closed("done")]
    found = contents(proposed[0], *closed)
    states = [found[f"the state of dispatch {number}"] for number in (1, 2, 3)]
    assert states == ["dispatched", "withdrawn", "withdrawn"]
    assert found["the state of the project"] == "closed"
    shredded = contents(*closed, events.Shredded(2))
    assert shredded["the state of the project"] == "shredded"


def test_files_are_known_by_their_first_digests_however_often_keys_are_rotated() -> None:
    once = project_events.KeysRotated((("a", "b"), ("c", "d")))
    again = project_events.KeysRotated((("b", "e"),))
    assert told(once, again).original_digests == {"b": "a", "d": "c", "e": "a"}


def test_what_was_acknowledged_is_expected_from_then_on() -> None:
    accepted = ((f"the budget of {MINE}", "900"), (f"the state of {MINE}", ""))
    event = project_events.Acknowledged(0, 0, "", accepted, 0, "", "", "known")
    found = contents(DISPATCHED, event)
    assert found[f"the budget of {MINE}"] == "900"
    assert f"the state of {MINE}" not in found


def test_who_is_in_and_the_state_are_compared_without_the_key_of_digests() -> None:
    added = project_events.MemberAdded("p1", "auditor")
    closed = events.Closed("done")
    found = without_digests(told(DISPATCHED, added, closed, events.Shredded(2)))
    assert found.contents == {member_row("p1", "auditor"): "member", PROJECT_STATE: "shredded"}
    (open_again,) = differences(found, {member_row("p1", "auditor"): "member"})
    assert open_again.words == "the state of the project is missing, of which entry 4 tells"


def test_rows_of_assignments_are_told_apart_whatever_columns_are_called() -> None:
    settled = events.FindingSettled(
        1, "part of assignment x", "word", 2, "fine", proposed_by="", state="ready"
    )
    opened = events.Opened("a1", 2, ("first",), "full", 3)
    decided = events.Decided("a1", 2, 1, "digest")
    found = without_assignments(told(DISPATCHED, opened, decided, settled))
    assert found.contents == {
        "the state of dispatch 1": "dispatched",
        finding_row(1, "part of assignment x", "word"): "fine",
        "the state of release 1": "ready",
    }


def test_the_row_of_the_earliest_entry_is_named_first() -> None:
    expected = told(
        project_events.PlanSaved(1, "plan"), project_events.MemberAdded("p1", "manager")
    )
    stored = {member_row("p1", "auditor"): "member", "the plan": "other"}
    assert [each.words for each in differences(expected, stored)] == [
        "the plan is not what entry 1 tells",
        "the role manager of p1 is missing, of which entry 2 tells",
        "no entry tells of the role auditor of p1",
    ]


def test_of_every_kind_of_entry_it_is_known_whether_it_changes_rows() -> None:
    without = set(EVENTS.values()) - set(_CHANGES)
    refusals = {events.Refused, project_events.DispatchRefused}
    remarks = {
        project_events.DecisionsCarried,
        project_events.VersionPreviewed,
        project_events.TruthJudged,
        events.DatabaseConfirmed,
        events.UnreadableAccepted,
    }
    assert without == refusals | remarks
