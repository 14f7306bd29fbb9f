"""Carried decisions that new automatic links or later decisions contradict go to adjudicators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import pytest

from mindfirl.core.errors import SettingError
from mindfirl.core.progress import no_progress
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.plan import Rule
from mindfirl.engine.bands.burden import Bands
from mindfirl.services.link import link_records
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.store.models import Assignment, Version
from mindfirl.store.queries.projects import current_version
from mindfirl.workspace.outcomes.standing import Conflict, conflicts_in, standing_of
from tests.support.conflicts import DIFFERENT, SAME, adjudicator, give, give_conflicts, hand_in, say
from tests.support.ledgers import verify_project
from tests.support.reviews import Study, make_study
from tests.support.rounds import by_id, ids_of, import_version, stored, write_version

Weights = Mapping[tuple[str, str], float]

DECIDED = ("c1", "r0")
"""The pair of which people say in the first round that it is two persons."""
PATH = {("c1", "r90"): 20.0, ("c90", "r90"): 20.0, ("c90", "r0"): 20.0}
"""New records that join the two by automatic links."""
CLOSE = {
    pair: 20.0 for pair in product(["c1", "c90", "c91"], ["r0", "r90", "r91"]) if pair != DECIDED
}
"""New records that are so near to both that merging joins all of them."""


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=20, pairs=30)


def weigh(study: Study, weights: Weights) -> None:
    path = study.folder / "weighed.csv"
    lines = [f"{left},{right},{weight}" for (left, right), weight in weights.items()]
    path.write_text("\n".join(["left,right,weight", *lines]) + "\n", encoding="utf-8")
    bring_pairs(project=study.project, path=path, mode=None, progress=no_progress)
    set_bands(project=study.project, bands=Bands(-5, 5))


def next_version(study: Study) -> None:
    """Import both databases again, with two new records in each."""
    first = 90 + 2 * (version_of(study).number - 1)
    paths = [
        write_version(
            study.folder, database, new=[f"{database[0]}{first + place}" for place in range(2)]
        )
        for database in ("clinic", "register")
    ]
    import_version(study.project, *paths)


def say_by_id(given: Sequence[Assignment], decisions: Mapping[tuple[str, str], Decision]) -> None:
    """Let people decide all their pairs by the IDs of their records, and hand them in."""
    for mine in stored(given):
        ids = ids_of(mine.version)
        for pair in mine.pairs.values_list("left", "right"):
            said = decisions[ids[pair[0]], ids[pair[1]]]
            say(mine, said, pair=pair)
        hand_in(mine)


def first_round(study: Study, rule: Rule) -> None:
    """Let people keep a pair apart, and import both databases again; somebody can settle."""
    judge = adjudicator(study)
    weigh(study, {DECIDED: -1})
    say_by_id(give(study, judge, rule=rule, reviews=1), {DECIDED: DIFFERENT})
    link_records(project=study.project, actor=study.actor)
    next_version(study)


def conflicts(study: Study) -> list[Conflict]:
    return conflicts_in(standing_of(project=study.project, actor=study.actor))


def version_of(study: Study) -> Version:
    found = current_version(study.project)
    assert found is not None
    return found


def test_a_carried_decision_against_a_path_of_new_links_goes_to_an_adjudicator(
    study: Study,
) -> None:
    first_round(study, "unanimous")
    weigh(study, {DECIDED: -1, **PATH})
    (conflict,) = conflicts(study)
    assert conflict.kind == "contradiction"
    assert conflict.between is not None
    assert by_id(version_of(study), [conflict.between]) == {frozenset(DECIDED)}
    with pytest.raises(SettingError, match="1 contradiction is open"):
        link_records(project=study.project, actor=study.actor)
    given = give_conflicts(study)
    asked = set(given[0].pairs.values_list("left", "right"))
    assert by_id(version_of(study), asked) == {frozenset(pair) for pair in (DECIDED, *PATH)}
    say_by_id(given, {**dict.fromkeys(PATH, SAME), DECIDED: SAME})
    assert conflicts(study) == []
    made = link_records(project=study.project, actor=study.actor)
    assert made.report["linked_persons"] == 1
    verify_project(study.project)


@pytest.mark.parametrize(
    ("weights", "kind"),
    [({DECIDED: 20.0}, "against weight"), ({DECIDED: -4.0, **CLOSE}, "overruled")],
)
def test_carried_votes_against_new_weights_go_to_an_adjudicator(
    study: Study, weights: Weights, kind: str
) -> None:
    first_round(study, "evidence")
    weigh(study, weights)
    (conflict,) = conflicts(study)
    assert conflict.kind == kind
    assert by_id(version_of(study), conflict.pairs) == {frozenset(DECIDED)}
    say_by_id(give_conflicts(study), {DECIDED: DIFFERENT})
    assert conflicts(study) == []
    verify_project(study.project)


def test_decisions_of_different_rounds_that_contradict_each_other_are_carried_as_a_conflict(
    study: Study,
) -> None:
    first_round(study, "unanimous")
    path = dict.fromkeys(PATH, 0.0)
    weigh(study, {DECIDED: -1, **path})
    say_by_id(study.dispatched(), dict.fromkeys(PATH, SAME))
    assert [each.kind for each in conflicts(study)] == ["contradiction"]
    next_version(study)
    weigh(study, {DECIDED: -1, **path})
    with pytest.raises(SettingError, match="There are no pairs to assign"):
        study.proposed()
    (conflict,) = conflicts(study)
    assert conflict.kind == "contradiction"
    assert by_id(version_of(study), conflict.pairs) == {frozenset(p) for p in (DECIDED, *PATH)}
    say_by_id(give_conflicts(study), {**dict.fromkeys(PATH, SAME), DECIDED: SAME})
    assert conflicts(study) == []
    verify_project(study.project)


def test_what_an_adjudicator_settled_is_carried_and_binds_new_links(study: Study) -> None:
    first_round(study, "unanimous")
    weigh(study, {DECIDED: -1, **PATH})
    apart = {("c1", "r90"): DIFFERENT, DECIDED: DIFFERENT}
    say_by_id(give_conflicts(study), {**dict.fromkeys(PATH, SAME), **apart})
    next_version(study)
    weigh(study, {DECIDED: -1, **PATH})
    assert conflicts(study) == []
    made = link_records(project=study.project, actor=study.actor)
    assert made.report["linked_persons"] == 1
    assert made.report["links"] == 2
    verify_project(study.project)
