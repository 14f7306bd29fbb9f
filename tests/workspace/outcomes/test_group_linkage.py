"""How well groups were linked, by what people and weights say; no small group, no value."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.services.link import link_records
from mindfirl.services.report import make_report
from mindfirl.store.models import Linkage, Scoring
from mindfirl.web.report.report_page import report_part
from mindfirl.workspace.open_pairs import open_pairs
from mindfirl.workspace.outcomes.group_linkage import linkage_groups, newest_linkage_groups
from mindfirl.workspace.outcomes.link_probabilities import linked_pairs
from tests.support import conflicts
from tests.support.reviews import NAMES, Study, make_study

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return make_study(tmp_path)


@pytest.fixture
def linkage(study: Study) -> Linkage:
    study.plan()
    return link_records(project=study.project, actor=study.actor, unsettled=True)


def test_groups_add_up_and_none_is_small(study: Study, linkage: Linkage) -> None:
    found = linkage_groups(linkage)
    assert found
    assert found == newest_linkage_groups(study.project)
    kinds = {each["name"]: each["kind"] for each in found["by"]}
    assert kinds == {"database": "database", "born": "date", "sex": "category"}
    for each in found["by"]:
        groups = each["groups"]
        assert sum(group["records"] for group in groups) == 120
        assert all(group["persons"] >= 10 for group in groups)
        linked = sum(group["linked"] for group in groups)
        assert linked == pytest.approx(found["rate"] * 120)
    (decades,) = (each for each in found["by"] if each["name"] == "born")
    assert {group["name"] for group in decades["groups"]} <= {"1940s", "1950s", None}
    assert not any(name in str(found) for name in NAMES)


def test_votes_and_adjudicators_count(study: Study) -> None:
    given = conflicts.give(study, conflicts.adjudicator(study), rule="evidence", most_pairs=10)
    for mine in given:
        conflicts.say(mine, conflicts.SAME)
        conflicts.hand_in(mine)
    pairs = open_pairs(study.project)
    person = pairs.candidates.left * 0
    voted = linked_pairs(Scoring.objects.get(), person).probability
    plain = pairs.candidates.probability
    changed = voted != plain
    assert changed.sum() == 10
    assert (voted[changed] > plain[changed]).all()
    for settling in conflicts.give_conflicts(study):
        conflicts.say(settling, conflicts.SAME)
        conflicts.hand_in(settling)
        settled = linked_pairs(Scoring.objects.get(), person).probability
        assert (abs(settled - 0.98) < 1e-9).sum() == settling.size


def test_without_pairs_there_is_nothing_to_say(study: Study, linkage: Linkage) -> None:
    Scoring.objects.all().delete()
    assert linkage_groups(linkage) is None
    study.project.linkages.all().delete()
    assert newest_linkage_groups(study.project) is None


def test_a_report_has_them_as_tables(study: Study, linkage: Linkage) -> None:
    assert linkage.number == 1
    study.dispatched()
    content = make_report(project=study.project, actor=study.actor).content
    part = report_part(content)
    assert [name for name, _rows in part.linkage_groups] == ["Database", "Born", "Sex"]
    content.pop("linkage_groups")
    assert report_part(content).linkage_groups == []
