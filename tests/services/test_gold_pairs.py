"""Gold pairs: reviewers are checked by pairs with known answers, among all others and like them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

import pytest

from mindfirl.core.errors import FieldErrors, LedgerDiffers
from mindfirl.core.review.decisions import Decision
from mindfirl.services import resolve
from mindfirl.services.dispatch import confirm, dispatch_now
from mindfirl.services.dispatch.assignments import reassign
from mindfirl.services.labels import import_labels
from mindfirl.services.plan.estimates import estimate
from mindfirl.services.plan.plans import PersonTyped, plan_of
from mindfirl.services.plan.reviewer_shares import reviewer_shares
from mindfirl.store.models import Account, AssignedPair, Assignment
from mindfirl.store.queries.votes import GOLD, measured_reviewers, votes_of
from mindfirl.workspace.carried_votes import votes_in
from mindfirl.workspace.gold_pairs import gold_pairs
from mindfirl.workspace.outcomes.standing import current_standing
from mindfirl.workspace.verification.ledger_verification import verify
from tests.support.conflicts import adjudicator, hand_in, say
from tests.support.ledgers import verify_project
from tests.support.reviews import Study, make_study
from tests.support.rounds import (
    by_id,
    decide_all,
    ids_of,
    import_version,
    renamed,
    stored,
    write_version,
)

SAME, DIFFERENT = Decision("surely the same"), Decision("surely different")
PairKey = tuple[int, int]


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=40, pairs=120)


def band(study: Study) -> list[list[str]]:
    lines = (study.folder / "pairs.csv").read_text(encoding="utf-8").splitlines()[1:]
    return [line.split(",") for line in lines if abs(float(line.split(",")[2])) < 5]


def answered(study: Study, count: int, said: str = "same") -> set[PairKey]:
    """Let answers to some pairs for people come from elsewhere; return these pairs."""
    rows = band(study)[:count]
    path = study.folder / "known.csv"
    path.write_text(
        "left,right,answer\n" + "".join(f"{left},{right},{said}\n" for left, right, _ in rows),
        encoding="utf-8",
    )
    import_labels(project=study.project, actor=study.actor, path=path, source="a registry")
    ids = ids_of(study.project.versions.latest("number"))
    return {
        (min(places), max(places))
        for left, right, _ in rows
        for places in [(ids.index(left), ids.index(right))]
    }


def gold_of(given: Collection[Assignment]) -> Counter[PairKey]:
    """Count how often each gold pair was given out."""
    held = AssignedPair.objects.filter(assignment__in=given, origin__in=GOLD)
    return Counter(held.values_list("left", "right"))


def all_of(given: Collection[Assignment]) -> Counter[PairKey]:
    held = AssignedPair.objects.filter(assignment__in=given)
    return Counter(held.values_list("left", "right"))


def workers(*names: Account) -> tuple[PersonTyped, ...]:
    return tuple(PersonTyped(str(each.pk), budget="50") for each in names)


def test_they_go_out_among_others_and_each_as_often_as_any_other(study: Study) -> None:
    known = answered(study, 12)
    study.plan(reviews=2, most_pairs=40, gold_pairs=8)
    found = estimate(
        project=study.project,
        actor=study.actor,
        plan=plan_of(project=study.project, actor=study.actor)[0],
    )
    assert (found.pairs, found.gold, found.decisions) == (40, 8, 96)
    dispatch = study.proposed()
    assert (dispatch.plan["pairs"], dispatch.plan["gold"]) == (40, 8)
    confirm(dispatch=dispatch, actor=study.actor, account=study.manager)
    given = dispatch_now(dispatch=dispatch)
    assert set(gold_of(given)) <= known
    assert len(gold_of(given)) == 8
    assert set(all_of(given).values()) == {2}, "nobody finds a gold pair by who else has it"
    assert all(each.terms.gold_pairs == 8 for each in given), "reviewers are told"
    verify_project(study.project)


def test_their_places_and_tokens_tell_nothing(study: Study) -> None:
    answered(study, 20)
    study.plan(reviews=3, gold_pairs=20)
    given = study.dispatched()
    rows = AssignedPair.objects.filter(assignment__in=given)
    gold = rows.filter(origin__in=GOLD)
    assert {len(each.token) for each in gold} == {len(each.token) for each in rows}
    places = [each.number / each.assignment.size for each in gold.select_related("assignment")]
    assert 0.3 < sum(places) / len(places) < 0.7
    assert {each.ring for each in rows} == {0}
    assert {tuple(each.lower) for each in rows} == {()}


def test_votes_on_them_count_for_the_person_and_not_for_the_pair(study: Study) -> None:
    known = answered(study, 24)
    study.plan(reviews=1, most_pairs=30, gold_pairs=24, people=workers(study.workers[0]))
    given = study.dispatched()
    before = current_standing(study.project).resolved
    decide_all(given, DIFFERENT)
    after = current_standing(study.project)
    assert {after.resolved[pair].outcome for pair in known} == {"link"}
    assert {pair: after.resolved[pair] for pair in known} == {pair: before[pair] for pair in known}
    assert all(not after.votes[pair].given for pair in known)
    worker = str(study.workers[0].pk)
    assert [who for who, _ in measured_reviewers(after.votes)] == [worker]
    (share,) = reviewer_shares(project=study.project, actor=study.actor).values()
    assert (share.right, share.judged) == (0, 24)
    assert share.bounds is not None
    assert {(each.left, each.right) for each in votes_of(study.project)}.isdisjoint(known)
    verify_project(study.project)


def test_an_interval_is_told_from_20_of_them_on(study: Study) -> None:
    answered(study, 19)
    study.plan(reviews=1, most_pairs=20, gold_pairs=19, people=workers(study.workers[0]))
    decide_all(study.dispatched(), SAME)
    (share,) = reviewer_shares(project=study.project, actor=study.actor).values()
    assert (share.right, share.judged, share.bounds) == (19, 19, None)


def test_nobody_gets_one_that_a_reviewer_of_the_round_has_had(study: Study) -> None:
    first, second, third = study.workers
    study.plan(reviews=1, most_pairs=30, people=workers(first))
    decide_all(study.dispatched(), SAME)
    judge = adjudicator(study)
    known = answered(study, 60)
    version = study.project.versions.get()
    had = set(all_of(study.project.assignments.all()))
    assert known & had
    assert gold_pairs(version, [second.pk, third.pk, judge.pk]) > gold_pairs(version, [first.pk])
    assert gold_pairs(version, [first.pk, second.pk]).isdisjoint(had)
    study.plan(reviews=1, most_pairs=20, gold_pairs=1_000, people=workers(first, second))
    given = study.dispatched()
    assert gold_of(given).keys() == known - had
    decide_all(given, SAME)
    study.plan(reviews=1, most_pairs=10, gold_pairs=1_000, people=workers(third))
    assert gold_of(study.dispatched()).keys() == known
    verify_project(study.project)


def test_what_is_reassigned_stays_a_check_and_goes_to_nobody_who_had_it(study: Study) -> None:
    answered(study, 6)
    first, second, third = study.workers
    study.plan(reviews=1, gold_pairs=6, people=workers(first))
    (mine,) = study.dispatched()
    (rest,) = reassign(
        assignment=mine, actor=study.actor, to=[second], budgets=["50"], reason="away"
    )
    assert len(gold_of([rest])) == 6
    assert rest.terms.gold_pairs == 6
    assert gold_pairs(study.project.versions.get(), [second.pk]) == set()
    assert len(gold_pairs(study.project.versions.get(), [third.pk])) == 6
    verify_project(study.project)


def test_agreed_samples_and_adjudicated_pairs_are_known_too(study: Study) -> None:
    first, second, third = study.workers
    judge = adjudicator(study)
    people = (*workers(first, second), PersonTyped(str(judge.pk), "adjudicator", "1", "50"))
    study.plan(reviews=2, quality_sample=6, people=people, rule="unanimous")
    one, other = stored(study.dispatched())
    say(one, SAME)
    say(other, SAME)
    disputed = list(other.pairs.filter(origin="review")[:5])
    for each in disputed:
        say(other, DIFFERENT, pair=(each.left, each.right))
    hand_in(one)
    hand_in(other)
    made = resolve.give_conflicts(project=study.project, actor=study.actor, account=study.manager)
    decide_all(made, DIFFERENT)
    version = study.project.versions.get()
    sampled = set(
        AssignedPair.objects.filter(origin__in=("link", "non-link")).values_list("left", "right")
    )
    settled = {(each.left, each.right) for each in disputed}
    assert len(sampled) == 12
    assert gold_pairs(version, [third.pk]) == sampled | settled
    assert gold_pairs(version, [first.pk]) == gold_pairs(version, [second.pk]) == set()
    said = votes_in(version)
    assert {said[pair].answer for pair in sampled} == {True}
    assert {said[pair].answer for pair in settled} == {False}
    import_version(study.project, write_version(study.folder, changed={"c0": renamed}))
    now = study.project.versions.latest("number")
    carried = by_id(now, gold_pairs(now, [third.pk]))
    assert carried == {pair for pair in by_id(version, sampled | settled) if "c0" not in pair}
    assert gold_pairs(now, [first.pk]) == gold_pairs(now, [judge.pk, second.pk]) == set()
    verify_project(study.project)


def test_an_answer_that_reviewers_dispute_checks_nobody(study: Study) -> None:
    first, second, third = study.workers
    study.plan(reviews=2, most_pairs=20, people=workers(first, second))
    decide_all(study.dispatched(), DIFFERENT)
    had = set(all_of(study.project.assignments.all()))
    known = answered(study, 90)
    assert known & had
    assert gold_pairs(study.project.versions.get(), [third.pk]) == known - had


def test_they_never_go_out_alone_nor_to_adjudicators(study: Study) -> None:
    judge = adjudicator(study)
    answered(study, len(band(study)))
    people = (*workers(*study.workers), PersonTyped(str(judge.pk), "adjudicator", "1", "50"))
    study.plan(gold_pairs=5, people=people)
    plan, _ = plan_of(project=study.project, actor=study.actor)
    assert estimate(project=study.project, actor=study.actor, plan=plan).gold == 0


@pytest.mark.parametrize("typed", ["-1", "1001", "x"])
def test_a_number_that_cannot_be_is_refused(study: Study, typed: str) -> None:
    with pytest.raises(FieldErrors) as refused:
        study.plan(gold_pairs=typed)
    assert list(refused.value.fields) == ["gold_pairs"]


def test_calling_a_check_something_else_is_found(study: Study) -> None:
    answered(study, 6)
    study.plan(reviews=1, gold_pairs=6)
    study.dispatched()
    verify_project(study.project)
    one = AssignedPair.objects.filter(origin__in=GOLD).latest("pk")
    AssignedPair.objects.filter(pk=one.pk).update(origin="review")
    with pytest.raises(LedgerDiffers, match="the pairs of assignment"):
        verify(study.project)
