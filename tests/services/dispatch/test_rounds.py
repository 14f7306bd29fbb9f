"""A second round: what has no standing decision goes out, changed pairs first."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.core.errors import SettingError
from mindfirl.core.progress import no_progress
from mindfirl.services.link import link_records
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.store.models import Version
from mindfirl.store.queries.projects import steps_of
from mindfirl.workspace.open_pairs import open_pairs
from mindfirl.workspace.outcomes.standing import counts_of, standing_of
from tests.support.conflicts import DIFFERENT, SAME
from tests.support.ledgers import verify_project
from tests.support.reviews import BANDS, Study, make_study
from tests.support.rounds import by_id, decide_all, import_version, pairs_of, renamed, write_version


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=30, pairs=100)


def reviewed(study: Study) -> set[frozenset[str]]:
    study.plan(reviews=2)
    decide_all(study.dispatched(), SAME)
    return pairs_of(study, study.project.versions.get())


def second_version(study: Study) -> Version:
    """Import the clinic again: c1 and c2 changed, and there are new records with pairs."""
    path = write_version(
        study.folder, changed={"c1": renamed, "c2": renamed}, gone=["c3"], new=["c90", "c91"]
    )
    version = import_version(study.project, path)
    pairs = (study.folder / "pairs.csv").read_text(encoding="utf-8").splitlines()
    kept = [line for line in pairs if not line.startswith("c3,")]
    new = [f"c9{place % 2},r{place},0.5" for place in range(20)]
    (study.folder / "again.csv").write_text("\n".join([*kept, *new]) + "\n", encoding="utf-8")
    path = study.folder / "again.csv"
    bring_pairs(project=study.project, path=path, mode=None, progress=no_progress)
    set_bands(project=study.project, bands=BANDS)
    return version


def test_only_what_has_no_standing_decision_goes_out(study: Study) -> None:
    decided = reviewed(study)
    version = second_version(study)
    decide_all(study.dispatched(), SAME)
    asked = pairs_of(study, version)
    again = {pair for pair in decided if pair & {"c1", "c2"}}
    assert asked & decided == again
    assert {pair for pair in asked if pair & {"c90", "c91"}} == asked - decided
    with pytest.raises(SettingError, match="There are no pairs to assign"):
        study.proposed()


def test_changed_pairs_go_out_first(study: Study) -> None:
    decided = reviewed(study)
    version = second_version(study)
    again = {pair for pair in decided if pair & {"c1", "c2"}}
    study.plan(reviews=1, most_pairs=len(again) + 2, quality_sample=0)
    study.dispatched()
    asked = pairs_of(study, version)
    assert len(asked) == len(again) + 2
    assert again <= asked


def test_carried_votes_count_with_the_new_weights(study: Study) -> None:
    decided = reviewed(study)
    version = second_version(study)
    found = standing_of(project=study.project, actor=study.actor)
    carried = {pair for pair, each in found.votes.items() if each.origin == "carried"}
    assert by_id(version, carried) == {pair for pair in decided if not pair & {"c1", "c2", "c3"}}
    assert counts_of(found)["carried"] == len(carried)
    candidates = open_pairs(study.project).candidates
    pairs = zip(candidates.left.tolist(), candidates.right.tolist(), strict=True)
    weight = dict(zip(pairs, candidates.weight.tolist(), strict=True))
    heavy = {pair for pair in carried if weight[pair] > 1}
    assert heavy
    assert all(found.resolved[pair].outcome == "link" for pair in heavy)


def test_a_second_round_is_linked_with_what_stands(study: Study) -> None:
    reviewed(study)
    second_version(study)
    study.plan(rule="majority", reviews=2)
    decide_all(study.dispatched(), DIFFERENT)
    made = link_records(project=study.project, actor=study.actor, unsettled=True, more_errors=True)
    assert made.version.number == 2
    assert made.report["carried"] > 0
    verify_project(study.project)


def test_steps_of_the_new_round_are_not_ticked(study: Study) -> None:
    reviewed(study)
    done = {step.route: step.done for step in steps_of(study.project)}
    assert done["dispatch"]
    import_version(study.project, study.folder / "clinic.csv")
    done = {step.route: step.done for step in steps_of(study.project)}
    assert not any(done[route] for route in ("pairs", "dispatch", "resolve", "releases"))
