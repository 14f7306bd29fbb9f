"""Whoever writes to the database changes nothing unnoticed, and honest work raises no alarm."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, transaction
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from mindfirl.core.errors import (
    LedgerBehind,
    LedgerBroken,
    LedgerDiffers,
    LedgerDistrusted,
    SecondPersonNeeded,
)
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.review.decisions import Decision
from mindfirl.engine.bands.burden import Bands
from mindfirl.services import ledger, pairs
from mindfirl.services.dispatch.assignments import move_due, pause, raise_budget, resume
from mindfirl.services.link import link_records
from mindfirl.services.plan.plans import sample_quality
from mindfirl.services.projects import add_member, remove_member
from mindfirl.services.projects.closing import close_project, shred
from mindfirl.services.release import handover, release_states
from mindfirl.services.review.decisions import decide
from mindfirl.services.review.disclosure.commenting import comment
from mindfirl.services.upkeep.health import rotate_keys
from mindfirl.store import vault
from mindfirl.store.crypto.envelope import passphrase
from mindfirl.store.ledger import marks
from mindfirl.store.ledger.writer import head_of, lines, locked_head
from mindfirl.store.models import (
    Account,
    AssignedPair,
    LedgerHead,
    LedgerLine,
    Membership,
    Project,
    Release,
    Scoring,
    SignedHead,
)
from mindfirl.store.queries.plans import state_of
from mindfirl.workspace import commits
from mindfirl.workspace.open_pairs import required_scoring
from mindfirl.workspace.verification.ledger_verification import acknowledge, alarm_about, verify
from tests.conftest import Figure
from tests.support.audited import ATTACKS, Lines, open_some, undone
from tests.support.exported import Linked
from tests.support.proof import FULL
from tests.support.tampered import (
    CHANGES,
    FREE,
    NOT_OF_A_PROJECT,
    TABLES,
    WITHOUT_ROWS,
    attack_ledger,
    change_column,
    columns_of,
    make_whole,
    mark_all,
    open_assignment,
)

CASES = 2_000 if FULL else 90
HISTORIES = 200 if FULL else 4
STEPS = 12


@pytest.fixture
def whole(home: Path, tmp_path: Path) -> Linked:
    assert home.exists()
    found = make_whole(tmp_path)
    mark_all(found.project)
    return found


@pytest.mark.proof
def test_every_change_through_the_database_is_found_and_named(
    whole: Linked, figure: Figure
) -> None:
    dice = random.Random(time.time_ns() if FULL else 11)
    before = list(lines(whole.project))
    verify(whole.project)
    happened: Counter[str] = Counter()
    while happened.total() < CASES:
        with undone(), suppress(DatabaseError), transaction.atomic():
            change = _of_ledger if happened.total() % 5 == 4 else _of_table
            done, named = change(whole.project, before, dice)
            assert named, done
            happened.update([done] if done else [])
    verify(whole.project)
    total = happened.total()
    tables = len({each.partition(":")[0] for each in happened})
    figure(
        f"changes through the database: {total} of {total} found and the first wrong thing named, "
        f"in {tables} tables, {len(happened)} kinds"
    )


def test_every_column_is_held_by_the_ledger_or_known_to_be_free(whole: Linked) -> None:
    known, dice = NOT_OF_A_PROJECT | WITHOUT_ROWS, random.Random(1)
    found: dict[type[Any], set[str]] = {}
    for model in [each for each in apps.get_app_config("store").get_models() if each not in known]:
        for each in columns_of(model):
            with undone(), suppress(DatabaseError), transaction.atomic():
                assert change_column(model, each, dice), f"{model.__name__}.{each.name}"
                with suppress(LedgerBroken, LedgerDiffers):
                    verify(whole.project)
                    found.setdefault(model, set()).add(each.name)
    assert found == FREE


def test_what_later_releases_are_compared_with_cannot_be_taken_away(whole: Linked) -> None:
    Release.objects.filter(number=1).update(coverage=None)
    assert "the coverage of release 1" in _found(whole.project)


def test_what_is_left_of_deleted_releases_is_as_the_ledger_tells(whole: Linked) -> None:
    nobody_has_it = whole.release()
    handed_over = whole.project.releases.get(number=1)
    about: Any = {"actor": whole.actor, "reason": "no longer needed"}
    for each in (handed_over, nobody_has_it):
        release_states.delete_release(release=each, **about)
        verify(whole.project)
    assert Release.objects.get(number=1).coverage
    assert Release.objects.get(number=2).coverage is None


def _called_ready(whole: Linked) -> None:
    blocked = whole.unsettled_release()
    Release.objects.filter(pk=blocked.pk).update(state="ready")


def _other_choices(whole: Linked) -> None:
    made = whole.project.releases.get()
    Release.objects.update(choices={**made.choices, "least_persons": 1})


def _other_role(whole: Linked) -> None:
    auditor = Account.objects.get(username="auditor")
    Membership.objects.create(project=whole.project, account=auditor, role="manager")


def _other_entry(whole: Linked) -> None:
    LedgerLine.objects.filter(project=whole.project, kind="released").update(mac="0" * 64)


CHANGED_BEFORE_A_RELEASE: dict[str, tuple[Callable[[Linked], object], str]] = {
    "a blocked release is called ready": (_called_ready, "the state of release 2"),
    "choices": (_other_choices, "release 1"),
    "fewest persons": (
        lambda _: Project.objects.update(least_persons=1),
        "the set of rules of the project",
    ),
    "role": (_other_role, "the role manager of"),
    "thresholds": (lambda _: Scoring.objects.update(lower=-9), "the thresholds of version 1"),
    "entry": (_other_entry, "it was not made here"),
}


@pytest.mark.parametrize("what", CHANGED_BEFORE_A_RELEASE)
def test_what_decides_about_a_release_is_compared_before_it_leaves(
    whole: Linked, what: str
) -> None:
    """Nobody has to verify first: what has left does not come back."""
    change, named = CHANGED_BEFORE_A_RELEASE[what]
    handover.take(release=whole.project.releases.get(), actor=COMMAND_LINE, form="csv")
    change(whole)
    about: Any = {"release": whole.project.releases.order_by("-number")[0], "actor": COMMAND_LINE}
    auditor, lock = Account.objects.get(username="auditor"), passphrase("a long passphrase")
    leaving: list[Callable[[], object]] = [
        lambda: handover.take(**about, form="csv"),
        lambda: handover.give_crosswalk(**about, to=auditor, lock=lock),
        lambda: handover.take_labels(project=whole.project, actor=COMMAND_LINE),
        whole.unsettled_release,
    ]
    before = head_of(whole.project)
    for leaves in leaving:
        marks.end_alarm(whole.project.pk)
        with pytest.raises(LedgerDistrusted, match=named):
            leaves()
        assert named in alarm_about(whole.project)
    assert head_of(whole.project) == before
    assert vault.strays(whole.project.pk) == []


def test_nobody_becomes_the_second_person_by_writing_another_name(whole: Linked) -> None:
    project = whole.project
    Project.objects.update(second_person=True)
    acknowledge(project=project, actor=COMMAND_LINE, reason="two people from here on")
    made = whole.unsettled_release()
    finding = made.report["findings"][0]
    about = {"column": finding["column"], "kind": finding["kind"]}
    by: Any = {"release": made, "actor": whole.actor, "account": whole.manager}
    reason = "Made up so that tests know each record."
    release_states.settle_finding(**by, **about, reason=reason)
    verify(project)
    with pytest.raises(SecondPersonNeeded):
        release_states.confirm_finding(**by, **about)
    report = Release.objects.get(pk=made.pk).report
    report["findings"][0]["proposed"]["by"] = str(Account.objects.get(username="auditor").pk)
    Release.objects.filter(pk=made.pk).update(report=report)
    assert "the proposal to accept the finding" in _found(project)


def test_what_all_have_seen_together_is_counted_again_where_somebody_changed_it(
    whole: Linked,
) -> None:
    LedgerHead.objects.update(together=0)
    assert "another sum" in _found(whole.project)
    with transaction.atomic():
        assert locked_head(whole.project).together is None


def _of_ledger(project: Project, before: Lines, dice: random.Random) -> tuple[str, bool]:
    """Change the ledger; say what was done, if anything, and whether the first change is named."""
    kind = dice.choice(list(ATTACKS))
    first = attack_ledger(project, before, dice, kind)
    return (f"ledger: {kind}", _found_at(project) == first) if first else ("", True)


def _of_table(project: Project, _before: Lines, dice: random.Random) -> tuple[str, bool]:
    """Change a table; say what was done, if anything, and whether that is named."""
    table, kind = dice.choice(TABLES), dice.choice(list(CHANGES))
    if not CHANGES[kind](table, dice):
        return "", True
    said = _found(project)
    return f"{table.model.__name__}: {kind}", any(words in said for words in table.words)


def _found(project: Project) -> str:
    with pytest.raises((LedgerBroken, LedgerDiffers)) as caught:
        verify(project)
    return str(caught.value)


def _found_at(project: Project) -> int:
    with pytest.raises(LedgerBroken) as caught:
        verify(project)
    return caught.value.number


class _Cut(Exception):
    """The process ended here."""


@pytest.mark.proof
def test_honest_work_raises_no_alarm_wherever_it_is_cut_off(
    whole: Linked,
    figure: Figure,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    dice = random.Random(time.time_ns() if FULL else 5)
    start = head_of(whole.project)
    done: Counter[str] = Counter()

    def cut(point: str) -> None:
        if point == "before commit":
            raise _Cut

    for _history in range(HISTORIES):
        marks.reset_mark(whole.project.pk, start)
        with undone():
            for _step in range(STEPS):
                fate = dice.choice(("done", "done", "cut before commit", "cut after commit"))
                # Cut after the commit, the mark does not move.
                with (
                    django_capture_on_commit_callbacks(execute=fate == "done"),
                    monkeypatch.context() as patched,
                    suppress(_Cut),
                    transaction.atomic(),
                ):
                    if fate == "cut before commit":
                        patched.setattr(commits, "fault_point", cut)
                    dice.choice(STEPS_OF_WORK)(whole, dice)
                done[fate] += 1
            verify(whole.project)
            assert alarm_about(whole.project) == ""
    figure(f"honest histories with {dict(done)} steps: 0 false alarms in {HISTORIES} histories")
    assert set(done) == {"done", "cut before commit", "cut after commit"}


def _decided(whole: Linked, dice: random.Random) -> None:
    mine = open_assignment(whole.project)
    pair = dice.choice(list(mine.pairs.all()))
    words = dice.choice(("surely the same", "surely different", ""))
    said = Decision(words) if words else None  # type: ignore[arg-type]  # a verdict
    about: Any = {"account": mine.account, "assignment": mine, "token": pair.token}
    decide(**about, decision=said, now=timezone.now())


def _commented(whole: Linked, dice: random.Random) -> None:
    mine = open_assignment(whole.project)
    pair = dice.choice(list(mine.pairs.all()))
    about: Any = {"account": mine.account, "assignment": mine, "token": pair.token}
    comment(**about, words=dice.choice(("", "Hm.", "Yes.", "No.")), now=timezone.now())


def _opened(whole: Linked, dice: random.Random) -> None:
    open_some(open_assignment(whole.project), dice, 1)


def _paused(whole: Linked, _dice: random.Random) -> None:
    pause(assignment=open_assignment(whole.project), actor=whole.actor)
    resume(assignment=whole.project.assignments.get(state="paused"), actor=whole.actor)


def _budget(whole: Linked, _dice: random.Random) -> None:
    mine = open_assignment(whole.project)
    share = f"{mine.budget / 10**7 + 0.5:.1f}"
    raise_budget(assignment=mine, actor=whole.actor, budget=share, reason="more")


def _due(whole: Linked, _dice: random.Random) -> None:
    move_due(assignment=open_assignment(whole.project), actor=whole.actor, due=None)


def _thresholds(whole: Linked, dice: random.Random) -> None:
    scoring = required_scoring(whole.project)
    bands = Bands(-dice.randint(1, 9), dice.randint(1, 9))
    about: Any = {"project": whole.project, "actor": whole.actor}
    pairs.move_thresholds(**about, seen=state_of(scoring), bands=bands)


def _plan(whole: Linked, dice: random.Random) -> None:
    sample_quality(project=whole.project, actor=whole.actor, sample=dice.randint(0, 5))


def _members(whole: Linked, _dice: random.Random) -> None:
    auditor = Account.objects.get(username="auditor")
    about: Any = {"project": whole.project, "actor": whole.actor, "account": auditor}
    if auditor.memberships.filter(role="auditor").exists():
        remove_member(**about, role="auditor")
    else:
        add_member(**about, role="auditor")


def _linked(whole: Linked, _dice: random.Random) -> None:
    link_records(project=whole.project, actor=whole.actor, unsettled=True, more_errors=True)


def _handed_over(whole: Linked, _dice: random.Random) -> None:
    release = whole.project.releases.get(number=1)
    handover.take(release=release, actor=COMMAND_LINE, form="csv")


def _signed(whole: Linked, _dice: random.Random) -> None:
    ledger.take_receipt(project=whole.project, actor=COMMAND_LINE)


STEPS_OF_WORK: tuple[Callable[[Linked, random.Random], None], ...] = (
    *(_decided, _decided, _decided, _commented, _opened, _opened, _paused, _budget),
    *(_due, _thresholds, _plan, _members, _linked, _handed_over, _signed),
)


def test_keys_that_are_changed_change_nothing_of_what_is_told(whole: Linked) -> None:
    rotate_keys(project=whole.project)
    verify(whole.project)
    rotate_keys(project=whole.project)
    verify(whole.project)
    AssignedPair.objects.filter(verdict="surely the same").update(verdict="surely different")
    assert "decision" in _found(whole.project)


def test_after_shredding_the_chain_alone_is_checked(whole: Linked) -> None:
    close_project(project=whole.project, actor=whole.actor, reason="done")
    assert verify(Project.objects.get()).with_tables
    shred(project=whole.project, actor=whole.actor)
    found = verify(Project.objects.get())
    assert not found.with_tables
    AssignedPair.objects.update(verdict="surely different")
    verify(Project.objects.get())
    with undone():
        Project.objects.update(shredded=None)
        assert "the state of the project" in _found(whole.project)
    LedgerLine.objects.filter(number=3).update(actor="nobody")
    assert _found_at(Project.objects.get()) == 3


@pytest.mark.parametrize("said", [("shredded",), ("closed", "shredded")])
def test_a_project_that_only_says_it_was_shredded_is_compared(
    whole: Linked, said: tuple[str, ...]
) -> None:
    """Without the keys nothing could be compared: so only the ledger says that they are gone."""
    Project.objects.update(**dict.fromkeys(said, timezone.now()))
    assert "the state of the project" in _found(whole.project)
    AssignedPair.objects.filter(verdict="surely the same").update(verdict="surely different")
    assert "the latest decision" in _found(whole.project)


def test_a_change_stops_dispatch_and_release_until_it_is_acknowledged(whole: Linked) -> None:
    project = whole.project
    AssignedPair.objects.filter(verdict="surely the same").update(verdict="surely different")
    handover.take(release=project.releases.get(), actor=COMMAND_LINE, form="csv")
    assert ledger.verify_all() == [project.name]
    assert "latest decision" in alarm_about(project)
    assert ledger.alarms(actor=COMMAND_LINE) == [(project, alarm_about(project))]
    with pytest.raises(LedgerDistrusted, match="Dispatches and releases are blocked"):
        handover.take(release=project.releases.get(), actor=COMMAND_LINE, form="csv")
    _decided(whole, random.Random(1))
    told = acknowledge(project=project, actor=COMMAND_LINE, reason="a test of the auditors")
    assert told.accepted
    assert "latest decision" in told.found
    marks.end_alarm(project.pk)  # as the commit does
    handover.take(release=project.releases.get(), actor=COMMAND_LINE, form="csv")
    assert verify(project).acknowledged == 1
    AssignedPair.objects.filter(number=1).update(weight=99)
    assert "the pairs of assignment" in _found(project)


def test_a_broken_ledger_goes_on_after_an_acknowledgement_and_is_watched(whole: Linked) -> None:
    project = whole.project
    LedgerLine.objects.filter(number=20).update(line="nonsense")
    LedgerLine.objects.filter(number=30).delete()
    assert _found_at(project) == 20
    told = acknowledge(project=project, actor=COMMAND_LINE, reason="a disk failed")
    assert (told.first, told.found.startswith("The ledger is broken at entry 20")) == (20, True)
    verify(project)
    _decided(whole, random.Random(1))
    verify(project)
    with undone():
        LedgerLine.objects.filter(number=25).update(line="more nonsense")
        assert _found_at(project) == 20
    last = LedgerLine.objects.order_by("-number")[0]
    LedgerLine.objects.filter(pk=last.pk).update(mac="0" * 64)
    assert _found_at(project) == last.number


def test_a_database_that_was_cut_is_not_written_to_until_that_is_acknowledged(
    whole: Linked,
) -> None:
    project, before = whole.project, list(lines(whole.project))
    cut = len(before) - 9
    LedgerLine.objects.filter(number__gt=cut).delete()
    SignedHead.objects.all().delete()
    LedgerHead.objects.update(entries=cut, digest=before[cut - 1][:64])
    assert "an older backup was restored" in alarm_about(project)
    assert _found_at(project) == cut + 1
    with pytest.raises(LedgerBehind):
        _decided(whole, random.Random(1))
    told = acknowledge(project=project, actor=COMMAND_LINE, reason="restored on purpose")
    assert (told.mark, told.first) == (len(before), 0)
    assert alarm_about(project) == "", "although the mark could not be set yet"
    _decided(whole, random.Random(1))
    verify(project)


def test_an_acknowledgement_that_was_not_made_here_counts_for_nothing(whole: Linked) -> None:
    project, before = whole.project, list(lines(whole.project))
    acknowledge(project=project, actor=COMMAND_LINE, reason="nothing is wrong")
    row = LedgerLine.objects.order_by("-number")[0]
    LedgerLine.objects.filter(pk=row.pk).update(mac="0" * 64)
    LedgerLine.objects.filter(number=len(before)).delete()
    assert _found_at(project) == len(before)
