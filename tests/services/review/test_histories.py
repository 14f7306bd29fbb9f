"""Generated histories of a review: whatever people do, in whatever order, nothing is refunded.

Two people have the same pairs, each looks at them in two tabs that grow old, and a manager pauses,
raises budgets and gives the rest to others. After every step the accounts are worked out again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from mindfirl.core.errors import MindfirlError
from mindfirl.core.progress import no_progress
from mindfirl.core.review.decisions import VERDICTS, Decision, Verdict
from mindfirl.core.review.shown_pair import Offer, ShownPair
from mindfirl.core.risk.percent import read_percent
from mindfirl.services.dispatch import assignments
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.services.review.decisions import decide, decisions_of, submit
from mindfirl.services.review.disclosure.opening import (
    Answer,
    assignment_of,
    meters_of,
    open_step,
    show_pairs,
)
from mindfirl.store.models import (
    Account,
    AssignedPair,
    Assignment,
    LedgerHead,
    LedgerLine,
    Revision,
)
from mindfirl.workspace.seen_together import count_together
from tests.conftest import Figure
from tests.support.balances import balance_of, characters_of, levels_of
from tests.support.ledgers import accounts_of, verify_project
from tests.support.proof import FULL
from tests.support.reviews import BANDS, Study, account, make_study

PAIRS = ((0, 0), (3, 3), (4, 7))
"""One whose names are swapped, one whose day differs, one of strangers."""
STARTING: tuple[dict[str, str], ...] = (
    {},
    {},
    {"sex": "full"},
    {"first": "partial", "born": "full"},
    {"first": "full", "last": "partial", "born": "partial"},
)
BUDGETS = ("4", "25", "100")
EXAMPLES, STEPS = (500, 25) if FULL else (5, 25)
WHICH = st.integers(0, 10**6)
"""One of several things, whatever their number is."""
TAB = st.sampled_from([0, 1])
HAPPEN = (
    "charged",
    "retried",
    "decided",
    "old pages",
    "refused: kappa",
    "refused: budget",
    "refused: together",
    "taken back",
    "paused",
    "resumed",
    "budgets raised",
    "reassigned",
    "submitted",
    "NotOpen",
)
"""What must have happened in some of the histories."""


@dataclass(frozen=True)
class _Request:
    """An opening as a tab asks for it, with the limit when its page was drawn."""

    tab: int
    row: AssignedPair
    shown: ShownPair
    limit: int
    attribute: str
    """Nothing for a whole row."""
    step: Offer

    def send(self, mine: Assignment) -> Answer:
        about: dict[str, Any] = {"account": mine.account, "assignment": mine}
        about |= {"token": self.shown.token, "seen": self.shown.state, "now": timezone.now()}
        assert self.step.step.attribute == self.attribute
        return open_step(step=self.step.step, **about)


class History(RuleBasedStateMachine):
    """A review, step by step; it is taken back at the end, so that the next begins afresh."""

    study: ClassVar[Study]
    others: ClassVar[list[Account]]
    happened: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.all = transaction.atomic()
        self.all.__enter__()
        self.tabs: list[dict[int, tuple[ShownPair, int]]] = [{}, {}]
        """What each tab shows of a pair, and the limit when it was drawn."""
        self.spent: dict[str, int] = {}
        self.said: dict[tuple[str, int], Decision] = {}
        self.last: _Request | None = None

    def teardown(self) -> None:
        try:
            for mine in self._assignments():
                self._check_drawn(mine, range(1, mine.size + 1))
        finally:
            transaction.set_rollback(True)
            self.all.__exit__(None, None, None)

    @initialize(
        prices=st.sampled_from(["exact", "banded"]),
        accounting=st.sampled_from(["paper", "strict"]),
        kappa=st.sampled_from([1, 1, 2]),
        starting=st.sampled_from(STARTING),
        frequency=st.booleans(),
        budget=st.sampled_from(BUDGETS),
        limit=st.sampled_from(["", "", "15"]),
    )
    def begin(self, *, starting: dict[str, str], budget: str, limit: str, **plan: Any) -> None:
        plan["frequency_bands"] = plan.pop("frequency")
        self.prices = plan["prices"]
        budget, limit = ("100", "") if starting else (budget, limit)
        self.study.plan(starting=starting, budget=budget, project_limit=limit, **plan)
        self.study.dispatched()
        self.happened["histories"] += 1

    @rule(tab=TAB, who=WHICH, pair=WHICH)
    def reload(self, tab: int, who: int, pair: int) -> None:
        mine, row = self._chosen(who, pair)
        if self._looked(tab, mine, row):
            self._check_drawn(mine, [row.number])

    @rule(tab=TAB, who=WHICH, pair=WHICH, step=WHICH)
    def open_from_a_new_page(self, tab: int, who: int, pair: int, step: int) -> None:
        mine, row = self._chosen(who, pair)
        if self._looked(tab, mine, row):
            self._open(tab, mine, row, step)

    @rule(tab=TAB, who=WHICH, pair=WHICH, step=WHICH)
    def open_from_the_page_there_is(self, tab: int, who: int, pair: int, step: int) -> None:
        mine, row = self._chosen(who, pair)
        self._open(tab, mine, row, step)

    @rule(tab=TAB, who=WHICH, pair=WHICH, step=WHICH)
    def open_a_row(self, tab: int, who: int, pair: int, step: int) -> None:
        mine, row = self._chosen(who, pair)
        self._open(tab, mine, row, step, whole=True)

    @rule(step=WHICH)
    def open_in_the_other_tab(self, step: int) -> None:
        if self.last:
            mine = Assignment.objects.get(pk=self.last.row.assignment_id)
            self._open(1 - self.last.tab, mine, self.last.row, step)

    @rule()
    def retry(self) -> None:
        if self.last is None:
            return
        self.happened["retried"] += 1
        (answer, _), (again, charge) = self._sent(self.last), self._sent(self.last)
        if answer is None or again is None:
            return
        assert charge == 0
        assert again.pair == answer.pair
        assert (again.refused, again.stale) == (answer.refused, answer.stale)

    @rule(who=WHICH, pair=WHICH, verdict=st.sampled_from([None, *VERDICTS[:3]]))
    def decide(self, who: int, pair: int, verdict: Any) -> None:
        mine, row = self._chosen(who, pair)
        self._decide(mine, row, Decision(verdict) if verdict else None)

    @rule(who=WHICH, pause=st.booleans())
    def pause_or_resume(self, who: int, pause: bool) -> None:  # noqa: FBT001  # drawn
        step = assignments.pause if pause else assignments.resume
        self._managed(who, "paused" if pause else "resumed", step)

    @rule(who=WHICH, budget=st.sampled_from(["5", "30", "60", "100"]))
    def raise_budget(self, who: int, budget: str) -> None:
        step = partial(assignments.raise_budget, budget=budget, reason="more is needed")
        found = self._managed(who, "budgets raised", step)
        if found is not None:
            assert found.budget == read_percent(budget)

    @rule(who=WHICH, to=WHICH)
    def reassign(self, who: int, to: int) -> None:
        chosen = self.others[to % len(self.others)]
        step = partial(assignments.reassign, to=[chosen], budgets=["100"], reason="on leave")
        self._managed(who, "reassigned", step)

    @rule(who=WHICH, first=st.sampled_from([False, False, True]))
    def submit(self, who: int, first: bool) -> None:  # noqa: FBT001  # drawn
        """Submit an assignment; it may be that all of it is decided first."""
        mine = self._assignment(who)
        rows = list(mine.pairs.filter(withdrawn=False))
        for row in rows if first and mine.state == "open" else ():
            self._decide(mine, row, Decision("surely different"))
        ready = mine.state == "open" and len(rows) == len(decisions_of(mine))
        about: dict[str, Any] = {"account": mine.account, "assignment": mine}
        done, _ = self._done(partial(submit, now=timezone.now(), **about))
        self.happened["submitted"] += done
        assert done == ready

    @invariant()
    def every_account_is_right(self) -> None:
        project = self.study.project
        verify_project(project)
        told = accounts_of(project)
        for mine in self._assignments():
            account, levels, name = told[str(mine.pk)], levels_of(mine), str(mine.pk)
            assert self.spent.get(name, 0) <= mine.spent <= mine.limit
            assert mine.spent == account.spent == balance_of(mine, levels)
            assert levels == {number: dict(account.state(number)) for number in levels}
            assert (mine.state, mine.budget) == (account.phase, account.budget)
            shown = sum(characters_of(mine, levels).values())
            assert meters_of(assignment=mine).shown == shown
            self.spent[name] = mine.spent

    @invariant()
    def what_all_have_seen_is_kept_right(self) -> None:
        head = LedgerHead.objects.filter(project=self.study.project).first()
        if head is not None and head.together is not None:
            assert head.together == count_together(self.study.project)

    @invariant()
    def every_decision_is_kept(self) -> None:
        for mine in self._assignments():
            kept = {number: each.decision for number, each in decisions_of(mine).items()}
            rows = {row.number for row in mine.pairs.all() if not row.withdrawn}
            said = {n: each for (name, n), each in self.said.items() if name == str(mine.pk)}
            assert kept == {number: each for number, each in said.items() if number in rows}
            revisions = Revision.objects.filter(pair__assignment=mine).order_by("number")
            last = {each.pair.number: each.verdict for each in revisions.select_related("pair")}
            assert said == {n: Decision(cast("Verdict", each)) for n, each in last.items() if each}

    def _assignments(self) -> list[Assignment]:
        found = self.study.project.assignments.select_related("account", "version__index")
        return sorted(found, key=_order)

    def _assignment(self, who: int) -> Assignment:
        found = self._assignments()
        return found[who % len(found)]

    def _chosen(self, who: int, pair: int) -> tuple[Assignment, AssignedPair]:
        """Choose a pair by its records: its number is another one every time."""
        mine = self._assignment(who)
        rows = list(mine.pairs.order_by("left", "right"))
        return mine, rows[pair % len(rows)]

    def _looked(self, tab: int, mine: Assignment, row: AssignedPair) -> bool:
        """Show a pair in a tab; one that was given away is not shown any more."""
        found = show_pairs(assignment=mine, numbers=[row.number])
        assert bool(found) != AssignedPair.objects.get(pk=row.pk).withdrawn
        for shown in found:
            self.tabs[tab][row.pk] = (shown, mine.limit)
        return bool(found)

    def _open(
        self, tab: int, mine: Assignment, row: AssignedPair, one: int, *, whole: bool = False
    ) -> None:
        """Open what a page offers, at the price that it says; both tabs begin with the same."""
        for each in (0, 1):
            if row.pk not in self.tabs[each] and not self._looked(each, mine, row):
                return
        shown, limit = self.tabs[tab][row.pk]
        steps = [("", each) for each in shown.steps] if whole else _steps(shown)
        if steps:
            self.last = _Request(tab, row, shown, limit, *steps[one % len(steps)])
            answer, _ = self._sent(self.last)
            if answer:
                self.tabs[tab][row.pk] = (answer.pair, mine.limit)

    def _sent(self, request: _Request) -> tuple[Answer | None, int]:
        """Ask for an opening: one from an old page is not made, any other at the price it says."""
        before = request.row.open_cells.count()
        mine = Assignment.objects.get(pk=request.row.assignment_id)
        answer, charge = self._tried(partial(request.send, mine))
        if answer is None:
            return None, 0
        assert answer.stale <= (request.shown.state != before)
        if charge or answer.refused:
            assert request.shown.state == before, "an old page opens nothing"
        self._check_price(mine, request, answer, charge)
        return answer, charge

    def _check_drawn(self, mine: Assignment, numbers: Any) -> None:
        """The characters on a page are those that the ledger tells of."""
        told = accounts_of(mine.project)[str(mine.pk)]
        for pair in show_pairs(assignment=mine, numbers=numbers):
            state = dict(told.state(pair.number))
            assert {cell.attribute: cell.level for cell in pair.cells} == state
            drawn = sum(sign.shown for cell in pair.cells for row in cell.rows for sign in row)
            assert drawn == characters_of(mine, {pair.number: state})[pair.number]

    def _tried(self, step: Callable[[], Any]) -> tuple[Any, int]:
        """Take a step; return its answer and what it charged all together; a refusal is free."""
        before, entries = self._total(), LedgerLine.objects.count()
        try:
            answer = step()
        except MindfirlError as error:
            self.happened[type(error).__name__] += 1
            assert (self._total(), LedgerLine.objects.count()) == (before, entries)
            return None, 0
        charge = self._total() - before
        if isinstance(answer, Answer):
            self._check_answer(answer, charge, LedgerLine.objects.count() - entries)
        return answer, charge

    def _done(self, step: Callable[[], object]) -> tuple[bool, int]:
        """Take a step that answers nothing; say whether it could be taken, and what it charged."""
        answer, charge = self._tried(lambda: [step()])
        return answer is not None, charge

    def _check_answer(self, answer: Answer, charge: int, entries: int) -> None:
        self.happened["charged"] += charge > 0
        self.happened["old pages"] += answer.stale
        if answer.refused:
            self.happened[f"refused: {answer.refused}"] += 1
        assert charge >= 0
        if answer.stale or answer.refused:
            assert charge == 0
        assert (charge > 0) + (answer.refused is not None) <= entries <= (not answer.stale)
        row = AssignedPair.objects.get(token=answer.pair.token)
        mine = assignment_of(account=row.assignment.account, assignment=row.assignment_id)
        assert [answer.pair] == show_pairs(assignment=mine, numbers=[row.number])
        assert answer.meters == meters_of(assignment=mine)

    def _check_price(
        self, mine: Assignment, request: _Request, answer: Answer, charge: int
    ) -> None:
        """What a page said that a step takes is what was charged, or more where it is in bands."""
        takes = request.step.takes
        said = None if takes is None else takes * (request.limit or 1)
        if charge:
            assert said is not None
            assert said == charge if self.prices == "exact" else ceil(said) >= charge
        elif answer.refused == "budget" and self.prices == "exact":
            assert said is not None
            assert said > mine.limit - mine.spent
        elif answer.refused == "kappa" and self.prices == "exact":
            assert said is None

    def _decide(self, mine: Assignment, row: AssignedPair, said: Decision | None) -> None:
        about: dict[str, Any] = {"account": mine.account, "assignment": mine, "decision": said}
        done, charge = self._done(partial(decide, token=row.token, now=timezone.now(), **about))
        assert charge == 0
        if done and said is None:
            self.happened["taken back"] += (str(mine.pk), row.number) in self.said
            self.said.pop((str(mine.pk), row.number), None)
        elif done and said is not None:
            self.happened["decided"] += 1
            self.said[str(mine.pk), row.number] = said

    def _managed(self, who: int, name: str, step: Callable[..., Any]) -> Assignment | None:
        """Let the manager change an assignment; return it if it was possible."""
        mine = self._assignment(who)
        done, charge = self._done(partial(step, assignment=mine, actor=self.study.actor))
        if not done:
            return None
        self.happened[name] += 1
        if name != "reassigned":
            assert charge == 0
        return Assignment.objects.get(pk=mine.pk)

    def _total(self) -> int:
        return sum(self.study.project.assignments.values_list("spent", flat=True))


def _order(mine: Assignment) -> tuple[bool, str, datetime]:
    """Order assignments in the same way whenever a history is run again."""
    return mine.continues_id is not None, mine.account.username, mine.created


def _steps(shown: ShownPair) -> list[tuple[str, Offer]]:
    return [(cell.attribute, step) for cell in shown.cells for step in cell.steps]


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    """A project with a few telling pairs, two workers who have all of them, and three others."""
    assert home.exists()
    made = make_study(tmp_path, people=20, pairs=10, workers=2)
    path = tmp_path / "few.csv"
    lines = [f"c{left},r{right},{place - 2}" for place, (left, right) in enumerate(PAIRS)]
    path.write_text("\n".join(["left,right,weight", *lines, ""]), encoding="utf-8")
    bring_pairs(project=made.project, path=path, mode=None, progress=no_progress)
    set_bands(project=made.project, bands=BANDS)
    return made


@pytest.mark.proof
def test_no_history_is_refunded_or_charged_otherwise_than_shown(
    study: Study, figure: Figure
) -> None:
    History.study = study
    History.others = [
        account(f"other{place}", project=study.project, role="worker") for place in range(3)
    ]
    History.happened.clear()
    run_state_machine_as_test(
        History,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
    happened = History.happened
    assert happened["histories"] >= EXAMPLES
    assert all(happened[each] for each in (HAPPEN if FULL else HAPPEN[:3])), happened
    told = ", ".join(f"{happened[each]:,} {each}" for each in HAPPEN)
    figure(f"histories of reviews: {happened['histories']:,} ({told}), 0 violations")
