"""How a review goes, on the page of its project: counted from the ledger and the decisions."""

from __future__ import annotations

import random
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from mindfirl.core.forecast.measures import Tally
from mindfirl.core.policy import ROLES
from mindfirl.core.review.decisions import VERDICTS, Decision, Verdict
from mindfirl.core.review.shown_pair import Offer, ShownCell, ShownPair
from mindfirl.core.risk.kapr import Step
from mindfirl.core.values.schema import LEVELS, Level
from mindfirl.services.dispatch import assignments
from mindfirl.services.labels import import_labels
from mindfirl.services.plan.stopping import Stopping, if_stopped
from mindfirl.services.review.decisions import decide, decisions_of
from mindfirl.services.review.disclosure.opening import assignment_of, open_step, show_pairs
from mindfirl.store.models import Assignment, OpenCell, Project
from mindfirl.store.queries.reviews import decided_by_hour, levels_of
from mindfirl.web.page.labels import label
from mindfirl.web.page.time_chart import TimeChart, time_chart
from mindfirl.web.projects.overview import heat_map, stopping_answer, stopping_words
from mindfirl.workspace.carried_votes import votes_in
from tests.support.cast import member, person, signed_in, text
from tests.support.ledgers import accounts_of
from tests.support.reviews import Study, account, make_study
from tests.support.rounds import decide_all, ids_of

pytestmark = pytest.mark.usefixtures("home")

NOON = datetime(2031, 5, 7, 12, tzinfo=UTC)
SURE = [verdict for verdict in VERDICTS if verdict != "cannot tell"]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return make_study(tmp_path, people=40, pairs=40)


def given(study: Study, **changes: object) -> list[Assignment]:
    study.plan(**{"budget": "100", **changes})  # type: ignore[arg-type]  # of a plan
    return study.dispatched()


def take(mine: Assignment, pair: ShownPair, cell: ShownCell, step: Offer) -> bool:
    """Open a cell; say whether it was not refused."""
    answer = open_step(
        account=mine.account,
        assignment=assignment_of(account=mine.account, assignment=mine.pk),
        token=pair.token,
        step=Step(cell.attribute, step.level),
        seen=pair.state,
        now=NOON,
    )
    return answer.refused is None


def open_some(mine: Assignment, dice: random.Random, times: int) -> int:
    """Open cells at random; say how many steps were taken."""
    taken = 0
    for _ in range(times):
        now = assignment_of(account=mine.account, assignment=mine.pk)
        (pair,) = show_pairs(assignment=now, numbers=[dice.randint(1, mine.size)])
        steps = [(cell, step) for cell in pair.cells for step in cell.steps]
        taken += bool(steps) and take(mine, pair, *dice.choice(steps))
    return taken


def open_lower(mine: Assignment) -> int:
    """Open what started lower than was planned, as far as κ allows; say how much that was."""
    lower = {(pair.number, name) for pair in mine.pairs.all() for name, _ in pair.lower}
    now = assignment_of(account=mine.account, assignment=mine.pk)
    steps = [
        (pair, cell, cell.steps[0])
        for pair in show_pairs(assignment=now, numbers=range(1, mine.size + 1))
        for cell in pair.cells
        if (pair.number, cell.attribute) in lower and cell.steps
    ]
    return sum(take(mine, *each) for each in steps)


def say(mine: Assignment, number: int, verdict: Verdict | None, at: datetime = NOON) -> None:
    decide(
        account=mine.account,
        assignment=assignment_of(account=mine.account, assignment=mine.pk),
        token=mine.pairs.get(number=number).token,
        decision=Decision(verdict) if verdict else None,
        now=at,
    )


def recounted(project: Project) -> dict[str, dict[Level, int]]:
    """Count the levels of all cells, one by one, as the ledger tells them."""
    found: dict[str, dict[Level, int]] = {}
    for each in accounts_of(project).values():
        for pair in range(1, each.terms.pairs + 1):
            for attribute, level in each.state(pair).items():
                found.setdefault(attribute, dict.fromkeys(LEVELS, 0))[level] += 1
    return found


def manager_of(study: Study) -> Client:
    return signed_in(study.manager)


def page(study: Study) -> str:
    return text(manager_of(study).get("/projects/study"))


def opened_page(study: Study) -> str:
    return text(manager_of(study).get("/projects/study/opened"))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"starting": {"born": "partial", "sex": "full"}},
        {"starting": {"first": "full", "born": "full"}, "kappa": "2"},
    ],
)
def test_the_heat_map_counts_what_the_ledger_tells(
    study: Study, changes: dict[str, object]
) -> None:
    dice = random.Random(3)
    given_out = given(study, **changes)
    assert levels_of(study.project) == recounted(study.project)
    assert "kappa" not in changes or sum(map(open_lower, given_out)) > 0
    assert "kappa" not in changes or levels_of(study.project) == recounted(study.project)
    assert sum(open_some(mine, dice, 40) for mine in given_out) > 0
    found = levels_of(study.project)
    assert found == recounted(study.project)
    assert list(found) == ["first", "last", "born", "sex"], "in the order of the schema"
    both = Counter(OpenCell.objects.values_list("pair", "attribute"))
    assert changes or max(both.values()) > 1, "some cells went from partial to full"


def test_cells_that_start_lower_are_counted_where_they_start(study: Study) -> None:
    given_out = given(study, starting={"first": "full", "sex": "full"}, kappa="4")
    lower = [pair.lower for mine in given_out for pair in mine.pairs.all()]
    assert any(lower)
    assert not all(lower)
    found = levels_of(study.project)
    assert 0 < found["sex"]["masked"] < sum(found["sex"].values())


def test_what_was_passed_on_still_counts_as_seen(study: Study) -> None:
    mine = given(study)[0]
    taken = open_some(mine, random.Random(4), 20)
    before = levels_of(study.project)
    helper = account("helper", project=study.project, role="worker")
    assignments.reassign(
        assignment=mine, actor=study.actor, to=[helper], budgets=["50"], reason="Ill."
    )
    found = levels_of(study.project)
    assert taken > 0
    assert found == recounted(study.project)
    assert all(found[name]["full"] == before[name]["full"] for name in found)
    assert all(found[name]["masked"] == before[name]["masked"] + mine.size for name in found)


def test_the_page_writes_every_number_of_the_heat_map(study: Study) -> None:
    mine = given(study)[0]
    assert "Nothing opened yet." in opened_page(study)
    open_some(mine, random.Random(5), 30)
    shown = opened_page(study)
    assert "Nothing opened yet." not in shown
    for name, levels in recounted(study.project).items():
        row = shown.split(f'<th scope="row">{label(name)}</th>')[1].split("</tr>")[0]
        assert re.findall(r">(\d+) <span>", row) == [str(levels[level]) for level in LEVELS]
        tones = [int(tone) for tone in re.findall(r"tone-(\d)", row)]
        assert [tone > 0 for tone in tones] == [levels[level] > 0 for level in LEVELS]
    opened = sum(levels[level] for levels in levels_of(study.project).values() for level in LEVELS)
    assert f"of {opened} cells are open at least partially" in shown


def test_tones_go_from_none_to_the_strongest() -> None:
    drawn = heat_map({"a": {"masked": 100, "partial": 0, "full": 0}})
    assert [cell.tone for cell in drawn.rows[0][1]] == [5, 0, 0]
    drawn = heat_map({"a": {"masked": 69, "partial": 30, "full": 1}})
    assert [cell.tone for cell in drawn.rows[0][1]] == [5, 3, 1]
    assert heat_map({}).opened == 0


def test_decisions_that_count_are_counted_by_the_hour(study: Study) -> None:
    given_out, dice = given(study), random.Random(6)
    for mine in given_out:
        for _ in range(40):
            at = NOON + timedelta(minutes=dice.randrange(60 * 24 * 4))
            say(mine, dice.randint(1, mine.size), dice.choice([*SURE, None]), at)
    naive: Counter[datetime] = Counter()
    for mine in given_out:
        for each in decisions_of(mine).values():
            naive[each.at.replace(minute=0, second=0, microsecond=0)] += 1
    found = decided_by_hour(study.project)
    assert found == naive
    assert list(found) == sorted(found)
    chart = time_chart(found)
    assert chart is not None
    assert [bar.when for bar in chart.bars] == [f"2031-05-{day:02}" for day in range(7, 12)]
    assert sum(int(bar.number) for bar in chart.rows) == sum(naive.values())


def test_a_changed_decision_counts_once_and_one_taken_back_not_at_all(study: Study) -> None:
    mine = given(study)[0]
    say(mine, 1, "surely the same")
    say(mine, 1, "surely different", NOON + timedelta(hours=2))
    say(mine, 2, "surely different")
    say(mine, 2, None, NOON + timedelta(hours=1))
    assert decided_by_hour(study.project) == {NOON + timedelta(hours=2): 1}


def charted(*hours: float) -> TimeChart:
    chart = time_chart({NOON + timedelta(hours=each): 3 for each in hours})
    assert chart is not None
    return chart


def test_time_is_cut_into_hours_days_or_weeks() -> None:
    assert time_chart({}) is None
    assert [bar.when for bar in charted(0, 2).bars] == [
        "2031-05-07 12:00",
        "2031-05-07 13:00",
        "2031-05-07 14:00",
    ]
    assert len(charted(0, 47).bars) == 48
    assert charted(0, 48).heading == "Day (UTC)"
    weeks = charted(0, 24 * 120)
    assert weeks.heading == "Week from"
    assert weeks.bars[0].when == "2031-05-05", "a Monday"
    assert [bar.number for bar in weeks.rows] == ["3", "3"]


@pytest.mark.parametrize("hours", [(0,), (0, 47), (0, 24 * 91), (0, 24 * 900)])
def test_bars_stay_within_the_chart(hours: tuple[int, ...]) -> None:
    chart = charted(*hours)
    ends = [float(bar.x) + float(bar.width) for bar in chart.bars]
    assert ends == sorted(ends)
    assert ends[-1] <= 100
    assert 1 <= sum(bool(bar.label) for bar in chart.bars) <= 7
    assert max(float(bar.height) for bar in chart.bars) == 120


@pytest.mark.parametrize("highest", [1, 3, 4, 5, 17, 99, 100, 480, 12_345])
def test_the_scale_has_a_few_round_marks(highest: int) -> None:
    chart = time_chart({NOON: highest})
    assert chart is not None
    assert chart.marks[0][1] == "0"
    assert 2 <= len(chart.marks) <= 5


def test_the_page_says_what_all_have_decided_and_spent(study: Study) -> None:
    given_out = given(study)
    open_some(given_out[0], random.Random(7), 10)
    say(given_out[0], 1, "surely the same")
    shown = page(study)
    total = sum(mine.size for mine in given_out)
    assert f"1 of {total} decisions made" in shown
    accounts = accounts_of(study.project).values()
    width = len(given_out[0].attributes)
    k = max(each.spent / (2 * each.terms.pairs * width) for each in accounts) / 10**9
    words = "highest risk K spent in an assignment, of a budget of 100%"
    told = re.search(rf"<b>([\d.]+)%</b><span>{words}", shown)
    assert told
    assert float(told[1]) / 100 == pytest.approx(k, rel=0.06)


LINE = r"%s: expected precision ([\d.]+)%%, recall ([\d.]+)%%\."


def expected(shown: str, when: str) -> tuple[float, float]:
    found = re.search(LINE % when, shown)
    assert found, when
    return float(found[1]), float(found[2])


def test_the_page_says_what_stopping_now_would_come_to(study: Study) -> None:
    given_out = given(study, reviews="1")
    answer = if_stopped(project=study.project, actor=study.actor)
    assert answer is not None
    shown = page(study)
    now, finished = expected(shown, "If you stopped now"), expected(shown, "everything is reviewed")
    assert now == pytest.approx((answer.now.precision * 100, answer.now.recall * 100), abs=0.1)
    whole = (answer.finished.precision * 100, answer.finished.recall * 100)
    assert finished == pytest.approx(whole, abs=0.1)
    assert "These are estimates by the model" in shown
    for number in range(1, 8):
        say(given_out[0], number, "surely different")
    browser = signed_in(study.auditor)
    later = expected(text(browser.get("/projects/study/overview")), "If you stopped now")
    answer = if_stopped(project=study.project, actor=study.actor)
    assert answer is not None
    assert later == pytest.approx((answer.now.precision * 100, answer.now.recall * 100), abs=0.1)
    assert later != now
    for mine in given_out:
        for number in range(1, mine.size + 1):
            say(mine, number, "surely different")
    assert "If you stopped now" not in text(browser.get("/projects/study/overview"))
    assert "If you stopped now" not in page(study)


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (1.0, "100%"),
        (0.999999, "99.99%"),
        (0.99912, "99.91%"),
        (0.9934, "99.34%"),
        (0.9716, "97.2%"),
        (0.0, "0.0%"),
    ],
)
def test_what_is_not_quite_all_is_not_written_as_all(share: float, words: str) -> None:
    tally = Tally(100, 100, 100 * share, 100)
    lines = stopping_words(Stopping(tally, tally, 3, 0.9, measured=False, by_weight=True))
    assert lines[0] == f"If you stopped now: expected precision {words}, recall {words}."
    assert stopping_words(None) == []


@pytest.mark.parametrize(
    ("now", "says"),
    [
        (12.4, "Continue: %s about 12 errors."),
        (0.4, "You can stop: %s less than 1 error."),
        (-3.0, "You can stop: %s less than 1 error."),
    ],
)
def test_stopping_is_answered_with_hours_and_errors(now: float, says: str) -> None:
    before, after = Tally(100, 100 + now, 100, 100), Tally(100, 100, 100, 100)
    found = Stopping(before, after, 3, 0.9, measured=False, by_weight=True)
    rest = "the remaining decisions (98, 1.6 hours) are expected to correct"
    assert stopping_answer(found, 98) == says % rest
    assert "(3, 3 minutes)" in stopping_answer(found, 0)
    assert stopping_answer(None, 98) == ""


@pytest.mark.parametrize(("known", "told"), [(20, "0% 0% to 17%"), (19, "too few pairs to tell")])
def test_reviewers_are_compared_with_known_answers_from_twenty_on(
    tmp_path: Path, known: int, told: str
) -> None:
    study = make_study(tmp_path, people=120, pairs=120)
    decide_all(given(study, reviews=1), Decision("surely different"))
    manager = signed_in(study.manager)
    page = f"/projects/{study.project.name}/agreement"
    assert "Compared with known answers" not in text(manager.get(page))
    version = study.project.versions.get()
    names, found = ids_of(version), votes_in(version)
    first = min(who for votes in found.values() for who in votes.reviewers)
    pairs = [pair for pair, votes in found.items() if votes.reviewers == [first] and votes.in_band]
    label_as_same(study, [(names[left], names[right]) for left, right in pairs[:known]])
    words = re.sub(r"<[^>]*>|\s+", " ", text(manager.get(page)))
    words = re.sub(" +", " ", words).partition("Compared with known answers")[2]
    assert f"{known} {told}" in words.partition("On pairs between")[0]


def label_as_same(study: Study, pairs: list[tuple[str, str]]) -> None:
    path = study.folder / "known.csv"
    rows = [f"{left},{right},same" for left, right in pairs]
    path.write_text("\n".join(["left,right,answer", *rows]) + "\n", encoding="utf-8")
    import_labels(project=study.project, actor=study.actor, path=path, source="a registry")


def test_a_project_without_assignments_shows_none_of_it(study: Study) -> None:
    shown = page(study)
    assert "If you stopped now" not in shown
    assert "Cells opened" not in shown
    assert "Decisions over time" not in shown


def test_an_open_page_is_told_how_the_review_goes(study: Study) -> None:
    mine, asked = given(study)[0], {"HX-Request": "true"}
    shown = opened_page(study)
    assert "No decisions yet." in shown
    say(mine, 1, "surely the same")
    for address, drawn in (("opened", shown), ("overview", page(study)), ("live", page(study))):
        assert f'hx-get="/projects/study/{address}' in drawn
        later = text(manager_of(study).get(f"/projects/study/{address}", headers=asked))
        assert ("2031-05-07 12:00" in later) == (address == "opened")
        places = re.findall(r'id="([\w-]+)" hx-swap-oob', later)
        assert places
        for place in places:
            assert f'id="{place}"' in drawn, "where it goes"


@pytest.mark.parametrize("page", ["overview", "opened", "agreement", "settings"])
def test_managers_and_auditors_see_it_and_nobody_else(study: Study, page: str) -> None:
    given(study)
    address = f"/projects/study/{page}"
    for role in ROLES:
        answer = signed_in(member(study.project, role, role[::-1])).get(address)
        assert answer.status_code == (200 if role in {"manager", "auditor"} else 403), role
    assert signed_in(person()).get(address).status_code == 404
    assert Client().get(address).status_code == 302


def test_the_number_of_queries_does_not_grow(study: Study) -> None:
    given_out, dice, browser = given(study), random.Random(8), manager_of(study)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            for page in ("overview", "opened"):
                assert browser.get(f"/projects/study/{page}").status_code == 200
        noted = ("UPDATE", "store_opensession")  # that somebody is there, every few seconds
        return sum(not all(word in each["sql"] for word in noted) for each in captured)

    queries()
    say(given_out[0], 1, "surely the same")
    before = queries()
    for mine in given_out:
        open_some(mine, dice, 10)
        for number in range(1, 6):
            say(mine, number, "surely the same", NOON + timedelta(days=number))
    assert queries() == before
