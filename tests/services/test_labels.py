"""Answers from elsewhere: they stand, nobody is asked about them, and they are carried on."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.core.errors import DataError, FieldErrors, LedgerDiffers, SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.evidence import USUAL_BITS
from mindfirl.services.dispatch import confirm, dispatch_now
from mindfirl.services.labels import import_labels
from mindfirl.services.link import link_records
from mindfirl.services.plan.reviewer_shares import reviewer_shares
from mindfirl.services.specification import specification_of
from mindfirl.store.models import KnownAnswer, LabelSet
from mindfirl.store.queries.votes import evidence_of, measured_reviewers
from mindfirl.workspace.carried_votes import votes_in
from mindfirl.workspace.outcomes.standing import counts_of, standing_of
from mindfirl.workspace.verification.ledger_verification import verify
from tests.support.ledgers import verify_project
from tests.support.reviews import Study, make_study
from tests.support.rounds import (
    by_id,
    decide_all,
    ids_of,
    import_version,
    pairs_of,
    renamed,
    write_version,
)


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=30, pairs=60)


def pairs_for_people(study: Study) -> list[tuple[str, str]]:
    lines = (study.folder / "pairs.csv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split(",") for line in lines]
    return [(left, right) for left, right, weight in rows if abs(float(weight)) < 5]


def labelled(study: Study, *rows: str, header: str = "left,right,answer") -> LabelSet:
    path = study.folder / "known.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return import_labels(project=study.project, actor=study.actor, path=path, source="a registry")


def test_known_answers_stand_and_nobody_is_asked(study: Study) -> None:
    (one, other), (third, fourth), *_ = pairs_for_people(study)
    made = labelled(study, f"{one},{other},same", f"{third},{fourth},different")
    assert (made.pairs, made.left_out) == (2, 0)
    found = standing_of(project=study.project, actor=study.actor)
    version = study.project.versions.get()
    outcomes = {
        tuple(sorted(next(iter(by_id(version, [pair]))))): found.resolved[pair].outcome
        for pair in found.votes
    }
    assert outcomes == {(one, other): "link", (third, fourth): "non-link"}
    counts = counts_of(found)
    assert (counts["external"], counts["adjudicated"]) == (2, 0)
    study.plan(reviews=1)
    study.dispatched()
    known = {frozenset((one, other)), frozenset((third, fourth))}
    assert not pairs_of(study, version) & known
    verify_project(study.project)


def answered(study: Study, *answers: str) -> set[frozenset[str]]:
    """Import answers to the first pairs for people; return these pairs by ID."""
    pairs = pairs_for_people(study)[: len(answers)]
    labelled(
        study, *(f"{one},{other},{said}" for (one, other), said in zip(pairs, answers, strict=True))
    )
    return {frozenset(pair) for pair in pairs}


def test_a_sample_of_them_is_checked_among_the_rest(study: Study) -> None:
    known = answered(study, *["same"] * 6)
    version = study.project.versions.get()
    study.plan(reviews=1, answer_sample=4)
    dispatch = study.proposed()
    assert dispatch.plan["answers"] == 4
    confirm(dispatch=dispatch, actor=study.actor, account=study.manager)
    decide_all(dispatch_now(dispatch=dispatch), Decision("surely different"))
    checked = pairs_of(study, version) & known
    assert len(checked) == 4
    assert len(pairs_of(study, version)) > 10
    found = standing_of(project=study.project, actor=study.actor)
    counts = counts_of(found)
    assert (counts["external"], counts["answers_checked"], counts["answers_disputed"]) == (6, 4, 4)
    linked = {pair for pair, each in found.resolved.items() if each.outcome == "link"}
    assert by_id(version, linked) == known, "the answers count for the pairs, not the votes"
    measured = [who for who, _ in measured_reviewers(found.votes)]
    assert measured == sorted(
        {
            who
            for each in found.votes.values()
            for who in each.reviewers
            if each.origin == "external"
        }
    )
    study.plan(reviews=1, answer_sample=4)
    with pytest.raises(SettingError, match="There are no pairs to assign"):
        study.proposed()
    verify_project(study.project)


def test_reviewers_who_agree_dispute_nothing(study: Study) -> None:
    answered(study, "same", "same", "different")
    study.plan(reviews=2, answer_sample=3)
    first, *others = study.dispatched()
    decide_all([first], Decision("cannot tell", "twins"))
    decide_all(others, Decision("probably the same"))
    counts = counts_of(standing_of(project=study.project, actor=study.actor))
    assert (counts["answers_checked"], counts["answers_disputed"]) == (3, 1)
    verify_project(study.project)


def test_they_are_carried_where_records_are_unchanged(study: Study) -> None:
    (one, other), (third, fourth), *_ = [
        pair for pair in pairs_for_people(study) if pair[0] != "c0"
    ]
    labelled(study, f"{one},{other},same", f"{third},{fourth},same")
    changed = {third: renamed} if third != one else {}
    second = import_version(study.project, write_version(study.folder, changed=changed))
    stands = {frozenset((one, other)), frozenset((third, fourth))}
    gone = {pair for pair in stands if third in pair and changed}
    assert by_id(second, votes_in(second)) == stands - gone


def test_reviewers_are_measured_on_answers_that_become_known(study: Study) -> None:
    study.plan(reviews=1)
    given = study.dispatched()
    decide_all(given, Decision("surely different"))
    version = study.project.versions.get()
    before = votes_in(version)
    assert measured_reviewers(before) == []
    assert reviewer_shares(project=study.project, actor=study.actor) == {}
    link_records(project=study.project, actor=study.actor, more_errors=True)
    first = specification_of(project=study.project, actor=COMMAND_LINE)
    worker, *others = {who for votes in before.values() for who in votes.reviewers}
    names = ids_of(version)
    known = [pair for pair, votes in before.items() if votes.reviewers == [worker]]
    known = [pair for pair in known if before[pair].in_band]
    labelled(study, *(f"{names[left]},{names[right]},same" for left, right in known))
    after = votes_in(version)
    ((measured, bits),) = measured_reviewers(after)
    assert measured == worker
    shares = reviewer_shares(project=study.project, actor=study.actor)
    assert {who: (each.right, each.judged) for who, each in shares.items()} == {
        worker: (0, len(known))
    }
    assert abs(bits[0]) < abs(USUAL_BITS["surely different"])
    weighed = {
        votes.reviewers[0]: evidence_of(votes, 0.0, lower=-2.0, upper=2.0).vote_bits
        for votes in after.values()
        if votes.reviewers
    }
    assert weighed[worker] == bits[0]
    assert {weighed[who] for who in others} == {USUAL_BITS["surely different"]}
    link_records(project=study.project, actor=study.actor, more_errors=True)
    second = specification_of(project=study.project, actor=COMMAND_LINE)
    assert "measured" not in first["accuracy"]
    assert second["accuracy"]["measured"]["number"] == 1
    verify_project(study.project)


def test_labels_of_splink_are_read_and_unsure_ones_left_out(study: Study) -> None:
    header = "source_dataset_l,unique_id_l,source_dataset_r,unique_id_r,clerical_match_score"
    rows = ("clinic,c1,register,r1,1.0", "clinic,c2,register,r2,0.5", "register,r3,clinic,c3,0")
    made = labelled(study, *rows, header=header)
    assert (made.pairs, made.left_out) == (2, 1)
    assert sorted(KnownAnswer.objects.values_list("same", flat=True)) == [False, True]


@pytest.mark.parametrize(
    ("rows", "header", "words"),
    [
        (["c1,r1,perhaps"], "left,right,answer", "neither same nor different"),
        (["c1,r1"], "left,right", "no column has the answers"),
        (["c1,r999,same"], "left,right,answer", "there is no such id"),
        (["c1,r1,same", "c1,r1,same"], "left,right,answer", "is already in an earlier row"),
        (["c1,r1,0.5"], "left,right,answer", "there is no answer in it"),
    ],
)
def test_files_that_say_something_else_are_refused(
    study: Study, rows: list[str], header: str, words: str
) -> None:
    with pytest.raises(DataError, match=words):
        labelled(study, *rows, header=header)
    assert LabelSet.objects.count() == 0


def test_where_they_come_from_must_be_said(study: Study) -> None:
    with pytest.raises(FieldErrors):
        import_labels(project=study.project, actor=study.actor, path=study.folder, source=" ")


def test_a_changed_answer_is_found(study: Study) -> None:
    labelled(study, "c1,r1,same")
    KnownAnswer.objects.update(same=False)
    with pytest.raises(LedgerDiffers, match="labels 1 is not what entry"):
        verify(study.project)
