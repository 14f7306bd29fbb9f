"""Whether reviewers agree, on the page of their project: every figure is one of the core's."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from html import unescape
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from mindfirl.core.review.agreement_summary import Summary, summary
from mindfirl.core.review.decisions import VERDICTS, Verdict
from mindfirl.store.models import Account, AssignedPair, Assignment
from mindfirl.store.queries.votes import votes_of
from mindfirl.web.page.figures import coefficient, whole_percent
from tests.support.cast import signed_in, text
from tests.support.reviews import Study, make_study
from tests.support.voting import look, say, shared

pytestmark = pytest.mark.usefixtures("home")

LINKS: tuple[Verdict, ...] = VERDICTS[3:6]
NON_LINKS: tuple[Verdict, ...] = VERDICTS[:3]
EMPTY = "Shown once two people have decided the same pair"


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return make_study(tmp_path, people=60, pairs=80)


def given(study: Study, reviews: str = "2") -> list[Assignment]:
    study.plan(budget="100", reviews=reviews)
    return study.dispatched()


def answer(held: Sequence[AssignedPair], dice: random.Random, *, wrong: float) -> None:
    """Let everybody say the same of a pair, now and then the other."""
    sides = [LINKS, NON_LINKS]
    dice.shuffle(sides)
    for pair in held:
        say(pair, dice.choice(sides[dice.random() < wrong]))


def page(study: Study, who: Account | None = None) -> str:
    return text(signed_in(who or study.manager).get("/projects/study/agreement"))


def block(shown: str) -> str:
    """What the page says about agreement, without its tags."""
    (found,) = re.findall(r'aria-labelledby="agreement-heading">(.*?)</section>', shown, re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", found)).split())


def rows(shown: str, caption: str) -> dict[str, list[str]]:
    """A table of the page: the cells of each row by its heading."""
    (table,) = [
        each for each in re.findall(r"<table.*?</table>", shown, re.DOTALL) if caption in each
    ]
    body = table.split("<tbody>")[1]
    found = {}
    for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL):
        name, *cells = re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)
        plain = [
            " ".join(unescape(re.sub(r"<[^>]+>", "", each)).split()) for each in (name, *cells)
        ]
        found[plain[0]] = plain[1:]
    return found


def found_in(study: Study) -> Summary:
    return summary(each.votes for each in votes_of(study.project))


def test_without_assignments_nothing_is_asked(study: Study) -> None:
    shown = text(signed_in(study.manager).get("/projects/study"))
    assert "greement" not in shown


def test_before_two_have_decided_a_pair_it_says_when_figures_come(study: Study) -> None:
    held = shared(given(study))
    assert EMPTY in block(page(study))
    for one, _ in held[:20]:
        say(one, "surely the same")
    assert EMPTY in block(page(study))
    assert "<table" not in page(study).split("agreement-heading")[2].split("</section>")[0]


def test_few_pairs_are_said_to_be_too_few(study: Study) -> None:
    held = shared(given(study))
    for pair in held[0]:
        say(pair, "surely the same")
    assert "1 pair was decided by two or more people. That is too few to measure" in block(
        page(study)
    )
    for one, other in held[1:9]:
        say(one, "surely the same")
        say(other, "surely different")
    told = block(page(study))
    assert "9 pairs were decided by two or more people. That is too few to measure" in told
    assert "κ" not in told
    for one, other in held[9:12]:
        say(one, "cannot tell")
        say(other, "surely different")
    told = block(page(study))
    assert (
        "12 pairs were decided by two or more people. On 9 of them, at least two people could "
        "tell." in told
    )
    say(held[9][0], "perhaps different")
    assert "20% of pairs of answers agree." in block(page(study))


def test_the_page_writes_the_figures_of_the_core(study: Study) -> None:
    dice = random.Random(2)
    for held in shared(given(study)):
        answer(held, dice, wrong=0.15)
    shown, found = page(study), found_in(study)
    pairs, observed = found.pairs, found.sides.observed
    assert pairs == 64
    assert f"{whole_percent(observed.estimate or 0)} of pairs of answers agree." in block(shown)
    table = rows(shown, "All reviewers")
    assert list(table) == [
        "Observed agreement",
        "Fleiss’ κ",
        "Krippendorff’s α",
        "Krippendorff’s α of the six steps",
    ]
    expected = [
        (observed, whole_percent),
        (found.sides.fleiss, coefficient),
        (found.sides.alpha, coefficient),
    ]
    for cells, (each, write) in zip(
        table.values(), [*expected, (found.steps, coefficient)], strict=True
    ):
        assert each.estimate is not None
        assert each.low is not None
        assert each.high is not None
        limits = f"{write(each.low)} to {write(each.high)}"
        assert cells == [f"{write(each.estimate)} {limits}"]
    assert "cannot tell" not in block(shown)


def test_two_by_two_people_stand_by_name(study: Study) -> None:
    Account.objects.filter(username="worker0").update(full_name="Zoe <Last>")
    dice = random.Random(3)
    for held in shared(given(study)):
        answer(held, dice, wrong=0.2)
    table = rows(page(study), "By two reviewers")
    names = ["worker1 and worker2", "worker1 and Zoe <Last>", "worker2 and Zoe <Last>"]
    assert list(table) == names
    ids = {str(each.pk): str(each) for each in Account.objects.all()}
    for each in found_in(study).of_two:
        one, other = sorted((ids[each.first], ids[each.second]), key=str.casefold)
        cells = table[f"{one} and {other}"]
        assert cells[0] == str(each.observed.units)
        assert cells[1].startswith(whole_percent(each.observed.estimate or 0))
        assert cells[2].startswith(coefficient(each.cohen.estimate or 0))
        assert cells[3].startswith(coefficient(each.alpha.estimate or 0))


def test_who_cannot_tell_is_a_column_of_its_own(study: Study) -> None:
    dice = random.Random(4)
    held = shared(given(study))
    for each in held:
        answer(each, dice, wrong=0.2)
    for one, _ in held[:5]:
        say(one, "cannot tell")
    shown, found = page(study), found_in(study)
    assert "5 answers are “cannot tell”. They count only" in block(shown)
    assert "With “cannot tell” as an answer" in block(shown)
    for name, cells in rows(shown, "All reviewers").items():
        assert len(cells) == 2, name
    cells = rows(shown, "All reviewers")["Krippendorff’s α"]
    assert cells[0].startswith(coefficient(found.sides.alpha.estimate or 0))
    assert cells[1].startswith(coefficient(found.answers.alpha.estimate or 0))
    assert cells[0] != cells[1]


def test_it_is_split_by_what_was_opened(study: Study) -> None:
    dice = random.Random(5)
    held = shared(given(study))
    for each in held[:12]:
        for pair in each:
            look(pair)
    for one, _ in held[12:14]:
        look(one, "sex")
    for each in held[:40]:
        answer(each, dice, wrong=0.2)
    table = rows(page(study), "By what was opened")
    assert list(table) == ["Nothing opened", "Some opened", "Everything opened by all"]
    assert [cells[0] for cells in table.values()] == ["26", "2", "12"]
    assert table["Some opened"][1:] == ["too few pairs to tell"]
    split = dict(found_in(study).opened)
    assert table["Everything opened by all"][1].startswith(
        whole_percent(split["everything"].observed.estimate or 0)
    )
    assert table["Nothing opened"][2].startswith(coefficient(split["nothing"].fleiss.estimate or 0))


def test_where_all_agree_there_is_no_interval_and_on_one_answer_no_figure(study: Study) -> None:
    held = shared(given(study))
    for each in held[:12]:
        for pair in each:
            say(pair, "surely the same")
    table = rows(page(study), "All reviewers")
    assert table["Fleiss’ κ"] == ["not defined: all answers are the same"]
    assert table["Observed agreement"] == ["100% 76% to 100%"]
    for each in held[12:14]:
        for pair in each:
            say(pair, "surely different")
    table = rows(page(study), "All reviewers")
    assert table["Krippendorff’s α"] == ["1.00 no interval"]


def test_pairs_that_more_people_decided_are_left_out_of_one_figure(study: Study) -> None:
    held = shared(given(study, reviews="3"))
    for each in held[:15]:
        answer(each, random.Random(6), wrong=0.2)
    for one, other, _ in held[15:18]:
        say(one, "surely the same")
        say(other, "surely the same")
    assert "Fleiss’ κ leaves out 3 pairs with a different number of decisions" in block(page(study))


def test_auditors_see_it_too(study: Study) -> None:
    given(study)
    assert EMPTY in block(page(study, study.auditor))


def test_the_number_of_queries_does_not_grow(study: Study) -> None:
    held, browser, dice = shared(given(study)), signed_in(study.manager), random.Random(7)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert browser.get("/projects/study/agreement").status_code == 200
        noted = ("UPDATE", "store_opensession")  # that somebody is there, every few seconds
        return sum(not all(word in each["sql"] for word in noted) for each in captured)

    for each in held[:11]:
        answer(each, dice, wrong=0.2)
    queries()
    answer(held[11], dice, wrong=0.2)
    before = queries()
    for each in held[12:]:
        answer(each, dice, wrong=0.2)
    assert queries() == before


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0%"), (0.001, "<1%"), (0.5, "50%"), (0.994, "99%"), (0.9999, ">99%"), (1, "100%")],
)
def test_almost_all_is_not_all(number: float, shown: str) -> None:
    assert whole_percent(number) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (-1, "−1.00"),
        (-0.25, "−0.25"),
        (-0.001, "0.00"),
        (0.4302, "0.43"),
        (0.999, ">0.99"),
        (1, "1.00"),
    ],
)
def test_almost_one_is_not_one(number: float, shown: str) -> None:
    assert coefficient(number) == shown
