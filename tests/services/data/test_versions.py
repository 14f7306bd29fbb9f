"""A database that comes again: what is known of its records, and what stands of decisions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from mindfirl.core.errors import DataError
from mindfirl.core.ledger.chain import read
from mindfirl.core.ledger.project_events import DecisionsCarried
from mindfirl.core.lineage import NOWHERE, Lineage, RecordCounts
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.lineages import Lineages, lineage_table, match_by_id, read_lineages
from mindfirl.services.data.importing import import_databases
from mindfirl.services.projects import create_project
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Version
from mindfirl.workspace.carried_votes import lineages_of, pairs_to_ask_again, votes_in
from tests.support.conflicts import SAME
from tests.support.ledgers import verify_project
from tests.support.reviews import SCHEMA, Study, make_study
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


def carried_entries(study: Study) -> list[DecisionsCarried]:
    found = [entry.event for entry in read(lines(study.project))]
    return [event for event in found if isinstance(event, DecisionsCarried)]


def reviewed(study: Study) -> tuple[Version, set[frozenset[str]]]:
    """Let all pairs for people be decided; return the version, and the pairs by ID."""
    study.plan(reviews=1)
    decide_all(study.dispatched(), SAME)
    version = study.project.versions.get()
    return version, pairs_of(study, version)


def test_lineages_come_back_from_their_table() -> None:
    dice = np.random.default_rng(1)
    before = dice.permutation(np.array([NOWHERE, NOWHERE, *range(40)]))
    changed = dice.random((42, 11)) < 0.3
    changed[before == NOWHERE] = False
    kept = Lineages(tuple("abcdefghijk"), {3: Lineage(before, changed, 50)})
    found = read_lineages(lineage_table(kept))
    assert found.attributes == kept.attributes
    assert found.earlier[3].before.tolist() == before.tolist()
    assert found.earlier[3].changed.tolist() == changed.tolist()
    assert found.earlier[3].earlier == 50


def test_records_are_found_by_their_ids() -> None:
    old = pa.chunked_array([["a", "b"], ["c"]])
    assert match_by_id(old, pa.array(["c", "x", "a"])).tolist() == [2, NOWHERE, 0]


def test_an_import_knows_what_became_of_every_record(study: Study) -> None:
    first = study.project.versions.get()
    old = ids_of(first)
    path = write_version(
        study.folder, changed={"c1": renamed, "c2": renamed}, gone=["c3"], new=["c90", "c91"]
    )
    second = import_version(study.project, path)
    now, lineage = ids_of(second), lineages_of(second).earlier[first.number]
    assert lineage.counts == RecordCounts(unchanged=57, changed=2, new=2, gone=1)
    for place, name in enumerate(now):
        was = int(lineage.before[place])
        assert (old[was] if was != NOWHERE else "") == (name if name in old else "")
    attributes = lineages_of(second).attributes
    for name in ("c1", "c2"):
        row = lineage.changed[now.index(name)].tolist()
        assert [each for each, flag in zip(attributes, row, strict=True) if flag] == ["last"]


def test_decisions_stand_are_asked_again_or_are_void(study: Study) -> None:
    _, decided = reviewed(study)
    path = write_version(study.folder, changed={"c1": renamed, "c2": renamed}, gone=["c3"])
    second = import_version(study.project, path)
    again = {pair for pair in decided if pair & {"c1", "c2"}}
    void = {pair for pair in decided if "c3" in pair}
    assert again
    assert void
    assert by_id(second, votes_in(second)) == decided - again - void
    assert by_id(second, pairs_to_ask_again(second)) == again
    (told,) = carried_entries(study)
    assert (told.version, told.earlier) == (2, (1,))
    assert (told.carried, told.again, told.void) == (
        len(decided - again - void),
        len(again),
        len(void),
    )
    verify_project(study.project)


def test_a_change_stays_a_change_through_further_versions(study: Study) -> None:
    _, decided = reviewed(study)
    original = (study.folder / "clinic.csv").read_text(encoding="utf-8")
    import_version(study.project, write_version(study.folder, changed={"c1": renamed}))
    (study.folder / "clinic.csv").write_text(original, encoding="utf-8")
    third = import_version(study.project, study.folder / "clinic.csv")
    assert sorted(lineages_of(third).earlier) == [1, 2]
    assert by_id(third, votes_in(third)) == {pair for pair in decided if "c1" not in pair}
    assert study.project.versions.filter(number=2).exists() is False, "nobody worked on it"


def test_an_assignment_under_way_ends_on_its_version_and_its_decisions_follow(study: Study) -> None:
    study.plan(reviews=1)
    given = study.dispatched()
    first = study.project.versions.get()
    second = import_version(study.project, study.folder / "clinic.csv")
    waiting = votes_in(second)
    assert by_id(second, waiting) == pairs_of(study, first)
    assert all(each.waiting and not each.given for each in waiting.values())
    decide_all(given, SAME)
    assert all(each.given == [SAME] for each in votes_in(second).values())


def test_other_ids_and_other_people_are_told_before_anything_happens(study: Study) -> None:
    reviewed(study)
    path = study.folder / "clinic.csv"
    original = path.read_text(encoding="utf-8")
    path.write_text(original.replace("\nc", "\nC-"), encoding="utf-8")
    with pytest.raises(DataError, match="fewer than half of the record IDs"):
        import_version(study.project, path)
    header, *rows = original.splitlines()
    others = [
        f"{row.split(',')[0]},Pat{number},Other,1970-01-01,F" for number, row in enumerate(rows)
    ]
    path.write_text("\n".join([header, *others]) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="different values under the same record ID"):
        import_version(study.project, path)
    assert study.project.versions.count() == 1
    assert import_version(study.project, path, start_over=True).number == 2
    assert [each.carried for each in carried_entries(study)] == [0]


def test_records_without_ids_are_found_by_equal_values(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    project = create_project(name="study", actor=COMMAND_LINE, synthetic=True)
    schema = parse_schema(SCHEMA.replace('record_id = "id"\n', ""), "schema.toml")
    path = tmp_path / "clinic.csv"
    rows = ["Ann,Lee,1950-01-11,F", "Ann,Lee,1950-01-11,F", "Bob,Kim,1951-02-12,M"]
    for table in (rows, [rows[2], rows[0], "Eve,Kim,1952-03-13,F"]):
        path.write_text("\n".join(["first,last,born,sex", *table]) + "\n", encoding="utf-8")
        sources = {"clinic": open_table(str(path))}
        version = import_databases(project=project, sources=sources, schema=schema)
    assert lineages_of(version).earlier[1].counts == RecordCounts(2, 0, 1, 1)
