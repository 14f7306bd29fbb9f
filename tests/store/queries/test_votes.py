"""Who says what of the same pairs, counted again from the decisions of each."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from mindfirl.core.review.agreement_summary import Vote, summary
from mindfirl.core.review.decisions import VERDICTS, Decision
from mindfirl.services.dispatch import assignments
from mindfirl.services.review.decisions import decisions_of
from mindfirl.store.models import Account, AssignedPair, Assignment, Project
from mindfirl.store.queries.votes import names_of, votes_of
from tests.support.reviews import ATTRIBUTES, Study, account, make_study
from tests.support.voting import look, say, shared

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return make_study(tmp_path, people=40, pairs=40)


def given(study: Study, **changes: object) -> list[Assignment]:
    study.plan(**{"budget": "100", **changes})  # type: ignore[arg-type]  # of a plan
    return study.dispatched()


def opened_by(project: Project, who: Account, pair: AssignedPair) -> str:
    """How much of a pair somebody had opened when they decided it."""
    (found,) = [each for each in votes_of(project) if (each.left, each.right) == place_of(pair)]
    (vote,) = [vote for vote in found.votes if vote.rater == str(who.pk)]
    return vote.opened


def place_of(pair: AssignedPair) -> tuple[int, int]:
    return pair.left, pair.right


def test_nobody_has_said_anything_yet(study: Study) -> None:
    given(study)
    assert votes_of(study.project) == []


def test_every_decision_that_counts_is_a_vote(study: Study) -> None:
    given_out, dice = given(study), random.Random(1)
    for held in shared(given_out):
        for pair in held:
            for _ in range(dice.randrange(3)):
                say(pair, dice.choice([*VERDICTS, None]))
    naive: dict[tuple[int, int], set[tuple[str, Decision]]] = {}
    for mine in given_out:
        places = {pair.number: place_of(pair) for pair in mine.pairs.all()}
        for number, each in decisions_of(mine).items():
            said = (str(mine.account_id), each.decision)
            naive.setdefault(places[number], set()).add(said)
    found = votes_of(study.project)
    assert {
        (each.left, each.right): {(vote.rater, vote.decision) for vote in each.votes}
        for each in found
    } == naive
    assert {each.version for each in found} == {given_out[0].version_id}
    assert {len(each.votes) for each in found} == {1, 2}
    assert summary(each.votes for each in found).pairs == sum(
        len(each) > 1 for each in naive.values()
    )


def test_only_the_latest_decision_counts_with_what_was_open_then(study: Study) -> None:
    pair = shared(given(study))[0][0]
    who = pair.assignment.account
    say(pair, "surely the same")
    assert opened_by(study.project, who, pair) == "nothing"
    look(pair)
    assert opened_by(study.project, who, pair) == "nothing", "opened after it was decided"
    say(pair, "surely different")
    (found,) = votes_of(study.project)
    assert found.votes == (Vote(str(who.pk), Decision("surely different"), "everything"),)
    say(pair, None)
    assert votes_of(study.project) == []


def test_a_pair_is_opened_when_all_its_cells_are_full(study: Study) -> None:
    pair = shared(given(study))[0][0]
    found = []
    for attribute in ("sex", "born", "first", "last"):
        if not pair.open_cells.filter(attribute=attribute):  # as both of a swapped group are
            look(pair, attribute)
        say(pair, None)
        say(pair, "perhaps the same")
        found.append(opened_by(study.project, pair.assignment.account, pair))
    assert (found[:2], found[-1]) == (["some", "some"], "everything")


def test_cells_that_are_partly_open_are_not_everything(study: Study) -> None:
    pair = shared(given(study))[0][0]
    for attribute in ATTRIBUTES:
        pair.open_cells.create(attribute=attribute, level="partial", entry=1)
    say(pair, "perhaps the same")
    assert opened_by(study.project, pair.assignment.account, pair) == "some"


def test_what_starts_open_was_not_opened_but_counts_as_open(study: Study) -> None:
    held = shared(given(study, starting={"born": "full", "sex": "full"}))
    pair = next(pair for (pair, *_) in held if not pair.lower)
    who = pair.assignment.account
    say(pair, "perhaps the same")
    assert opened_by(study.project, who, pair) == "nothing"
    look(pair)
    assert not pair.open_cells.filter(attribute="sex").exists()
    say(pair, "surely the same")
    assert opened_by(study.project, who, pair) == "everything"


def test_a_cell_that_starts_lower_has_to_be_opened_as_well(study: Study) -> None:
    held = shared(given(study, starting={"first": "full", "sex": "full"}, kappa="4"))
    pair = next(pair for (pair, *_) in held if pair.lower)
    assert "full" not in dict(pair.lower).values()
    assert pair.lower[0][0] in {"first", "sex"}
    for attribute in {*ATTRIBUTES} - {name for name, _ in pair.lower} - {"first", "sex"}:
        pair.open_cells.create(attribute=attribute, level="full", entry=1)
    say(pair, "surely the same")
    assert opened_by(study.project, pair.assignment.account, pair) == "some"


def test_what_was_passed_on_is_the_vote_of_who_took_it(study: Study) -> None:
    given_out = given(study)
    mine = given_out[0]
    first, second = shared([mine])[0][0], shared([mine])[1][0]
    say(first, "surely the same")
    helper = account("helper", project=study.project, role="worker")
    assignments.reassign(
        assignment=mine, actor=study.actor, to=[helper], budgets=["100"], reason="Ill."
    )
    (rest,) = Assignment.objects.filter(account=helper)
    (taken,) = [pair for (pair,) in shared([rest]) if place_of(pair) == place_of(second)]
    say(taken, "surely different")
    found = {(each.left, each.right): each.votes for each in votes_of(study.project)}
    assert [vote.rater for vote in found[place_of(first)]] == [str(mine.account_id)], "it ended"
    assert [vote.rater for vote in found[place_of(second)]] == [str(helper.pk)]


def test_adjudicators_have_no_vote(study: Study) -> None:
    given_out = given(study)
    for mine in given_out:
        say(shared([mine])[0][0], "surely the same")
    Assignment.objects.filter(pk=given_out[0].pk).update(kind="adjudication")
    raters = {vote.rater for each in votes_of(study.project) for vote in each.votes}
    assert raters == {str(mine.account_id) for mine in given_out[1:]}


def test_people_are_called_by_their_names(study: Study) -> None:
    one, two, _ = study.workers
    Account.objects.filter(pk=one.pk).update(full_name="Ann One")
    assert names_of({str(one.pk), str(two.pk)}) == {str(one.pk): "Ann One", str(two.pk): "worker1"}


def test_the_number_of_queries_does_not_grow(study: Study) -> None:
    given_out = given(study)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            votes_of(study.project)
        return len(captured)

    before = queries()
    for held in shared(given_out)[:10]:
        for pair in held:
            say(pair, "surely the same")
    assert queries() == before == 2
