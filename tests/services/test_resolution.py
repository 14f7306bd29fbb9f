"""From decisions to persons: conflicts, adjudicators, contradictions, and linkages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from mindfirl.core.decisions import Decision
from mindfirl.core.errors import FieldErrors, NotAllowed, SettingError
from mindfirl.core.persons import How
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.engine.bands import Bands
from mindfirl.engine.separation import RECORD
from mindfirl.services import resolution
from mindfirl.services.candidates import bring_pairs, set_bands
from mindfirl.services.decisions import decide, submit
from mindfirl.services.dispatch import confirm, dispatch_now
from mindfirl.services.intake import no_progress
from mindfirl.services.planning import PersonTyped
from mindfirl.services.projects import add_member
from mindfirl.store import vault
from mindfirl.store.ledger import accounts_of, verify_project
from mindfirl.store.models import Account, Assignment, Database, Dispatch, Version
from mindfirl.store.queries.access import actor_for
from tests.services.reviews import Study, account, make_study

SAME, DIFFERENT = Decision("probably the same"), Decision("surely different")
UNSURE = Decision("cannot tell", "twins")
LINKED = 5
"""The first so many pairs of the file are linked automatically."""


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    """Two databases of 20, each without duplicates; c0-r0 … c4-r4 automatic, c5-r5 … for people."""
    assert home.exists()
    made = make_study(tmp_path, people=20, pairs=30)
    Database.objects.update(without_duplicates=True)
    weighed(made, [(n, n, 20 if n < LINKED else 0) for n in range(15)])
    return made


def weighed(study: Study, pairs: list[tuple[int, int, int]]) -> None:
    """Bring pairs by the numbers of their persons in the two databases."""
    path = study.folder / "weighed.csv"
    lines = ["left,right,weight", *(f"c{left},r{right},{weight}" for left, right, weight in pairs)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    bring_pairs(project=study.project, path=path, mode=None, progress=no_progress)
    set_bands(project=study.project, bands=Bands(-5, 5), progress=no_progress)


def at(study: Study, left: int, right: int) -> tuple[int, int]:
    """Return where the records of persons by their numbers in the two databases stand."""
    version = Version.objects.get(project=study.project)
    found = []
    for member, name in zip(version.members.all(), (f"c{left}", f"r{right}"), strict=True):
        ids = vault.unseal(member.database.identity, [RECORD]).column(RECORD).to_pylist()
        found.append(member.first + ids.index(name))
    return found[0], found[1]


def adjudicator(study: Study, name: str = "judge") -> Account:
    return account(name, project=study.project, role="adjudicator")


def give(study: Study, *judges: Account, **changes: Any) -> list[Assignment]:
    """Give the pairs for people to workers; the plan names adjudicators."""
    people = tuple(PersonTyped(str(each.pk), budget="80") for each in study.workers)
    people += tuple(PersonTyped(str(each.pk), "adjudicator", budget="70") for each in judges)
    study.plan(people=people, **changes)
    study.dispatched()
    return list(Assignment.objects.filter(kind="review").select_related("account"))


def say(mine: Assignment, decision: Decision, *, pair: tuple[int, int] | None = None) -> None:
    found = mine.pairs.all() if pair is None else mine.pairs.filter(left=pair[0], right=pair[1])
    for each in found:
        decide(
            account=mine.account,
            assignment=mine,
            token=each.token,
            decision=decision,
            now=timezone.now(),
        )


def hand_in(mine: Assignment) -> None:
    submit(account=mine.account, assignment=mine, now=timezone.now())


def counts(study: Study) -> dict[str, Any]:
    return resolution.counts_of(standing(study))


def standing(study: Study) -> resolution.Standing:
    return resolution.standing_of(project=study.project, actor=study.actor)


def give_conflicts(study: Study) -> list[Assignment]:
    made = resolution.give_conflicts(
        project=study.project, actor=study.actor, account=study.manager
    )
    return list(Assignment.objects.filter(pk__in=[each.pk for each in made]))


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
    assert counts(study)["conflicts"] == {"disagreement": 10, "cannot tell": 0, "contradiction": 0}
    (given,) = give_conflicts(study)
    assert given.account == judge
    assert (given.kind, given.size, given.spent) == ("adjudication", 10, 0)
    assert given.budget == 700_000_000
    assert given.settings["starting"] == {}
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
    with pytest.raises(SettingError, match="no adjudicator can get any"):
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
    waiting = resolution.waiting_dispatch(study.project)
    assert waiting
    with pytest.raises(SettingError, match="second person"):
        resolution.confirm_conflicts(dispatch=waiting, actor=study.actor, account=study.manager)
    with pytest.raises(SettingError, match="These are conflicts"):
        confirm(dispatch=waiting, actor=auditor, account=study.auditor)
    made = resolution.confirm_conflicts(dispatch=waiting, actor=auditor, account=study.auditor)
    assert len(made) == 1
    verify_project(study.project)


def ring(study: Study, *judges: Account) -> None:
    """Let automatic links and people join two records of a database without duplicates."""
    weighed(study, [(0, 0, 20), (0, 1, 0), (2, 2, 20), (3, 3, 0)])
    for each in give(study, *judges, reviews=3):
        say(each, SAME)
        hand_in(each)


def test_the_pairs_of_a_contradiction_go_to_one_person_together(study: Study) -> None:
    judge = adjudicator(study)
    ring(study, judge)
    found = counts(study)
    assert found["contradictions"] == 1
    with pytest.raises(SettingError, match="contradictions are open"):
        resolution.link(project=study.project, actor=study.actor)
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
    (conflict,) = [each for each in resolution.conflicts_in(standing(study)) if each.between]
    assert conflict.between
    who: dict[str, Any] = {"project": study.project, "actor": study.actor, "account": study.manager}
    with pytest.raises(FieldErrors):
        resolution.accept(**who, between=conflict.between, reason=" ")
    with pytest.raises(SettingError, match="settled by now"):
        resolution.accept(**who, between=(1, 2), reason="they are twins")
    resolution.accept(**who, between=conflict.between, reason="they are twins")
    assert (counts(study)["contradictions"], counts(study)["accepted"]) == (0, 1)
    made = resolution.link(project=study.project, actor=study.actor)
    assert made.report["accepted"] == 1
    verify_project(study.project)


def test_links_make_persons_and_say_how(study: Study) -> None:
    apart = at(study, 5, 5)
    for each in give(study, reviews=3):
        say(each, SAME)
        say(each, DIFFERENT, pair=apart)
        hand_in(each)
    made = resolution.link(project=study.project, actor=study.actor, account=study.manager)
    person, how = resolution.persons_of(made)
    assert made.number == 1
    assert made.report["persons"] == 40 - 14
    assert made.report["linked_persons"] == 14
    assert made.report["records_by"] == {"single": 12, "automatic": 10, "reviewed": 18}
    one, other = at(study, 0, 0)
    assert person[one] == person[other]
    assert how[one] == how[other] == How.AUTOMATIC
    assert person[apart[0]] != person[apart[1]]
    assert how[at(study, 6, 6)[0]] == How.REVIEWED
    assert how[apart[0]] == how[at(study, 19, 19)[1]] == How.SINGLE
    assert resolution.linkages_of(project=study.project, actor=study.actor) == [made]
    verify_project(study.project)


def test_unsettled_pairs_are_refused_unless_they_are_to_count_as_not_linked(study: Study) -> None:
    with pytest.raises(SettingError, match="10 pairs for people are not settled"):
        resolution.link(project=study.project, actor=study.actor)
    made = resolution.link(project=study.project, actor=study.actor, unsettled=True)
    assert (made.report["linked_persons"], made.report["unsettled"]) == (LINKED, 10)


def test_people_overrule_the_weights(study: Study) -> None:
    for each in give(study, reviews=3, quality_sample=LINKED):
        say(each, DIFFERENT)
        hand_in(each)
    assert counts(study)["automatic_links"] == 0
    made = resolution.link(project=study.project, actor=study.actor)
    assert made.report["linked_persons"] == 0


def test_only_managers_resolve_and_link(study: Study) -> None:
    worker = replace(study, manager=study.workers[0])
    for wrong in (
        lambda: resolution.link(project=study.project, actor=worker.actor),
        lambda: resolution.standing_of(project=study.project, actor=worker.actor),
        lambda: give_conflicts(worker),
        lambda: resolution.accept(
            project=study.project, actor=worker.actor, account=None, between=(0, 1), reason="x"
        ),
    ):
        with pytest.raises(NotAllowed):
            wrong()
    assert not Dispatch.objects.exists()
