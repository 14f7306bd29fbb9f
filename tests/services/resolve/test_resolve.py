"""From decisions to persons: conflicts, adjudicators, contradictions, and linkages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from mindfirl.core.errors import FieldErrors, NotAllowed, NotYours, SettingError
from mindfirl.core.persons import LinkOrigin
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services import resolve
from mindfirl.services.dispatch.dispatches import confirm, dispatch_now
from mindfirl.services.link import link_records, linkages_of
from mindfirl.services.plan.plans import PersonTyped
from mindfirl.services.projects import add_member
from mindfirl.services.review.decisions import unreasoned
from mindfirl.store import vault
from mindfirl.store.models import Assignment, Comment, Database, Dispatch, OpenCell
from mindfirl.store.queries.access import actor_for
from mindfirl.store.queries.plans import waiting_dispatch
from mindfirl.store.vault.sealed_comments import seal
from mindfirl.workspace.open_version import population_of
from mindfirl.workspace.outcomes.standing import Standing, conflicts_in, counts_of, standing_of
from tests.support.conflicts import (
    DIFFERENT,
    LINKED,
    SAME,
    UNSURE,
    adjudicator,
    at,
    conflicting,
    disagree,
    give,
    give_conflicts,
    give_reason,
    hand_in,
    ring,
    say,
    weighed,
)
from tests.support.ledgers import accounts_of, verify_project
from tests.support.reviews import Study


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return conflicting(tmp_path)


def counts(study: Study) -> dict[str, Any]:
    return counts_of(standing(study))


def standing(study: Study) -> Standing:
    return standing_of(project=study.project, actor=study.actor)


def test_nothing_is_settled_before_all_reviews_are_handed_in(study: Study) -> None:
    first, *others = give(study, reviews=3)
    say(first, SAME)
    hand_in(first)
    assert counts(study)["by_rule"] == 0
    assert counts(study)["under_review"] == 10
    for each in others:
        say(each, SAME)
        hand_in(each)
    found = counts(study)
    assert (found["by_rule"], found["links"], found["unsettled"]) == (10, 10, 0)


def test_what_reviewers_disagree_on_goes_to_somebody_who_did_not_review_it(study: Study) -> None:
    judge = adjudicator(study)
    first, *others = give(study, judge, reviews=3)
    say(first, DIFFERENT)
    for each in others:
        say(each, SAME)
    for each in (first, *others):
        hand_in(each)
    found = {kind: number for kind, number in counts(study)["conflicts"].items() if number}
    assert found == {"disagreement": 10}
    (given,) = give_conflicts(study)
    assert given.account == judge
    assert (given.kind, given.size, given.spent) == ("adjudication", 10, 0)
    assert given.budget == 700_000_000
    assert given.terms.starting == ()
    assert counts(study)["with_adjudicators"]["disagreement"] == 10
    with pytest.raises(SettingError, match="no conflict"):
        give_conflicts(study)
    say(given, SAME)
    hand_in(given)
    found = counts(study)
    assert (found["adjudicated"], found["links"], found["unsettled"]) == (10, 10, 0)
    assert accounts_of(study.project)[str(given.pk)].phase == "submitted"
    verify_project(study.project)


def test_a_majority_settles_what_unanimity_leaves_open(study: Study) -> None:
    first, *others = give(study, reviews=3, rule="majority")
    say(first, DIFFERENT)
    for each in others:
        say(each, SAME)
    for each in (first, *others):
        hand_in(each)
    assert counts(study)["by_rule"] == 10


def test_who_reviewed_a_pair_never_settles_it(study: Study) -> None:
    both = study.workers[0]
    add_member(project=study.project, actor=COMMAND_LINE, account=both, role="adjudicator")
    for each in give(study, both, reviews=3):
        say(each, UNSURE)
        hand_in(each)
    with pytest.raises(SettingError, match="no adjudicator can get them"):
        give_conflicts(study)
    assert not Assignment.objects.filter(kind="adjudication").exists()


def test_without_an_adjudicator_it_is_said_what_to_do(study: Study) -> None:
    for each in give(study, reviews=3):
        say(each, UNSURE)
        hand_in(each)
    with pytest.raises(SettingError, match="add an adjudicator"):
        give_conflicts(study)


def test_a_second_person_confirms_where_the_project_asks_for_it(study: Study) -> None:
    study.project.second_person = True
    study.project.save()
    judge = adjudicator(study)
    people = tuple(PersonTyped(str(each.pk), budget="80") for each in study.workers)
    study.plan(people=(*people, PersonTyped(str(judge.pk), "adjudicator", budget="70")), reviews=3)
    auditor = actor_for(study.auditor, study.project)
    dispatch_now(dispatch=confirm(dispatch=study.proposed(), actor=auditor, account=study.auditor))
    for each in Assignment.objects.all():
        say(each, UNSURE)
        hand_in(each)
    assert give_conflicts(study) == []
    waiting = waiting_dispatch(study.project, "adjudication")
    assert waiting
    with pytest.raises(SettingError, match="second person"):
        resolve.confirm_conflicts(dispatch=waiting, actor=study.actor, account=study.manager)
    with pytest.raises(SettingError, match="These are conflicts"):
        confirm(dispatch=waiting, actor=auditor, account=study.auditor)
    made = resolve.confirm_conflicts(dispatch=waiting, actor=auditor, account=study.auditor)
    assert len(made) == 1
    verify_project(study.project)


def test_the_pairs_of_a_contradiction_go_to_one_person_together(study: Study) -> None:
    judge = adjudicator(study)
    ring(study, judge)
    found = counts(study)
    assert found["contradictions"] == 1
    with pytest.raises(SettingError, match=r"contradictions? (is|are) open"):
        link_records(project=study.project, actor=study.actor)
    (given,) = give_conflicts(study)
    pairs = list(given.pairs.order_by("number"))
    true, false = at(study, 0, 0), at(study, 0, 1)
    assert {(each.left, each.right) for each in pairs} == {true, false}
    assert {each.ring for each in pairs} == {1}
    say(given, SAME, pair=true)
    say(given, DIFFERENT, pair=false)
    hand_in(given)
    assert counts(study)["contradictions"] == 0


def test_a_contradiction_can_be_let_stand_for_a_reason(study: Study) -> None:
    ring(study)
    (conflict,) = [each for each in conflicts_in(standing(study)) if each.between]
    assert conflict.between
    who: dict[str, Any] = {"project": study.project, "actor": study.actor, "account": study.manager}
    with pytest.raises(FieldErrors):
        resolve.accept(**who, between=conflict.between, reason=" ")
    with pytest.raises(SettingError, match="already settled"):
        resolve.accept(**who, between=(1, 2), reason="they are twins")
    resolve.accept(**who, between=conflict.between, reason="they are twins")
    assert (counts(study)["contradictions"], counts(study)["accepted"]) == (0, 1)
    made = link_records(project=study.project, actor=study.actor)
    assert made.report["accepted"] == 1
    verify_project(study.project)


def test_links_make_persons_and_say_how(study: Study) -> None:
    apart = at(study, 5, 5)
    for each in give(study, reviews=3):
        say(each, SAME)
        say(each, DIFFERENT, pair=apart)
        hand_in(each)
    made = link_records(project=study.project, actor=study.actor, account=study.manager)
    table = vault.unseal(made.persons)
    person, how = table.column("person").to_numpy(), table.column("how").to_numpy()
    assert made.number == 1
    assert made.report["persons"] == 40 - 14
    assert made.report["linked_persons"] == 14
    assert made.report["records_by"] == {"single": 12, "automatic": 10, "reviewed": 18}
    one, other = at(study, 0, 0)
    assert person[one] == person[other]
    assert how[one] == how[other] == LinkOrigin.AUTOMATIC
    assert person[apart[0]] != person[apart[1]]
    assert how[at(study, 6, 6)[0]] == LinkOrigin.REVIEWED
    assert how[apart[0]] == how[at(study, 19, 19)[1]] == LinkOrigin.SINGLE
    assert linkages_of(project=study.project, actor=study.actor) == [made]
    verify_project(study.project)


def test_unsettled_pairs_are_refused_unless_they_are_to_count_as_not_linked(study: Study) -> None:
    study.plan(rule="unanimous")
    with pytest.raises(SettingError, match="10 pairs for people are not settled"):
        link_records(project=study.project, actor=study.actor)
    made = link_records(project=study.project, actor=study.actor, unsettled=True)
    assert (made.report["linked_persons"], made.report["unsettled"]) == (LINKED, 10)


def test_people_overrule_the_weights(study: Study) -> None:
    for each in give(study, reviews=3, quality_sample=LINKED):
        say(each, DIFFERENT)
        hand_in(each)
    assert counts(study)["automatic_links"] == 0
    made = link_records(project=study.project, actor=study.actor)
    assert made.report["linked_persons"] == 0


def test_a_path_is_told_by_who_made_its_links(study: Study) -> None:
    ring(study)
    (path,) = resolve.paths_in(standing(study))
    assert (path.links, path.automatic, path.reviewed, path.adjudicated) == (2, 1, 1, 0)
    assert not path.decided
    assert not path.given


def test_a_decision_against_a_path_is_told_as_one(study: Study) -> None:
    Database.objects.update(without_duplicates=False)
    weighed(study, [(0, 0, 20), (0, 1, 20), (1, 1, 0), (1, 0, 0)])
    judge = adjudicator(study)
    for each in give(study, judge, reviews=3):
        say(each, SAME, pair=at(study, 1, 1))
        say(each, DIFFERENT, pair=at(study, 1, 0))
        hand_in(each)
    (path,) = resolve.paths_in(standing(study))
    assert path.decided
    assert path.between == at(study, 1, 0)
    assert (path.links, path.automatic, path.reviewed) == (3, 2, 1)
    give_conflicts(study)
    assert resolve.paths_in(standing(study))[0].given


def test_adjudicators_hear_all_votes_in_an_order_that_does_not_tell_who(study: Study) -> None:
    judge = adjudicator(study)
    disagree(study, judge)
    (given,) = give_conflicts(study)
    heard = resolve.peer_votes(account=judge, assignment=given, numbers=range(1, 11))
    assert len(heard) == 10
    for votes in heard.values():
        assert [each.decision for each in votes] == [DIFFERENT, SAME, SAME]
        assert not any(each.settling for each in votes)
    with_remarks = given.pairs.get(left=at(study, 5, 5)[0]).number
    assert [each.comment for each in heard[with_remarks]] == ["remark x", "remark y", "remark z"]


def test_a_comment_that_repeats_what_its_writer_opened_later_is_not_heard(study: Study) -> None:
    judge = adjudicator(study)
    writer = disagree(study, judge)[0]
    (given,) = give_conflicts(study)
    pair = writer.pairs.get(left=at(study, 5, 5)[0])
    index = population_of(writer)
    name = "".join(index.record(pair.left)[index.schema.place("last")].reveal())
    said = Comment(pair=pair, number=9, at=timezone.now())
    seal(study.project, said, f"It is {name}")
    said.save()
    number = given.pairs.get(left=pair.left).number
    asked: dict[str, Any] = {"account": judge, "assignment": given, "numbers": [number]}
    assert f"It is {name}" in [each.comment for each in resolve.peer_votes(**asked)[number]]
    OpenCell.objects.create(pair=pair, attribute="last", level="full", entry=1)
    heard = resolve.peer_votes(**asked)[number]
    assert [each.set_aside for each in heard].count(True) == 1
    assert not any(name in each.comment for each in heard)


def test_nobody_else_hears_the_votes(study: Study) -> None:
    judge = adjudicator(study)
    reviews = disagree(study, judge)
    (given,) = give_conflicts(study)
    mine = reviews[0]
    assert resolve.peer_votes(account=mine.account, assignment=mine, numbers=[1, 2]) == {}
    with pytest.raises(NotYours):
        resolve.peer_votes(account=mine.account, assignment=given, numbers=[1])


def test_what_can_still_be_changed_is_not_heard_and_what_was_settled_is(study: Study) -> None:
    judge, other = adjudicator(study), adjudicator(study, "other")
    for each in give(study, judge, other, reviews=3):
        say(each, UNSURE)
        hand_in(each)
    givens = give_conflicts(study)
    assert len(givens) == 2
    say(givens[0], UNSURE)
    say(givens[1], SAME)
    hand_in(givens[0])
    (again,) = give_conflicts(study)
    assert again.account == givens[1].account
    heard = resolve.peer_votes(account=again.account, assignment=again, numbers=[1])[1]
    assert [(each.decision, each.settling) for each in heard] == [(UNSURE, False)] * 3 + [
        (UNSURE, True)
    ]
    assert heard[-1].comment == "It is plain to see."
    Assignment.objects.filter(account=study.workers[0]).update(state="open")
    heard = resolve.peer_votes(account=again.account, assignment=again, numbers=[1])[1]
    assert [each.settling for each in heard] == [False, False, True]


def test_an_adjudication_is_not_handed_in_before_every_decision_has_a_reason(study: Study) -> None:
    judge = adjudicator(study)
    disagree(study, judge)
    (given,) = give_conflicts(study)
    say(given, SAME)
    first, second = given.pairs.order_by("number")[:2]
    give_reason(given, first.token, "")
    give_reason(given, second.token, " ")
    assert unreasoned(given) == [first.number, second.number]
    with pytest.raises(SettingError, match="2 decisions have no reason"):
        hand_in(given)
    give_reason(given, first.token)
    give_reason(given, second.token)
    hand_in(given)
    assert Assignment.objects.get(pk=given.pk).state == "submitted"


def test_only_managers_resolve_and_link(study: Study) -> None:
    worker = replace(study, manager=study.workers[0])
    for wrong in (
        lambda: link_records(project=study.project, actor=worker.actor),
        lambda: standing_of(project=study.project, actor=worker.actor),
        lambda: give_conflicts(worker),
        lambda: resolve.accept(
            project=study.project, actor=worker.actor, account=None, between=(0, 1), reason="x"
        ),
    ):
        with pytest.raises(NotAllowed):
            wrong()
    assert not Dispatch.objects.exists()
