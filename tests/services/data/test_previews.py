"""What a new version would change, told before it is imported, and not so that guesses show."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.core.ledger.chain import read
from mindfirl.core.ledger.project_events import VersionPreviewed
from mindfirl.core.small_counts import coarse_counts
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.services.data.previews import (
    VersionPreview,
    preview_version,
    resembled_databases,
    sentences_of,
)
from mindfirl.store.ledger.writer import lines
from tests.support.conflicts import SAME
from tests.support.ledgers import verify_project
from tests.support.reviews import SCHEMA, Study, make_study
from tests.support.rounds import decide_all, renamed, write_version


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=60, pairs=200)


def previewed(study: Study, path: Path, database: str = "clinic") -> VersionPreview:
    found = preview_version(
        project=study.project,
        actor=study.actor,
        sources={database: open_table(str(path))},
        schema=parse_schema(SCHEMA, "schema.toml"),
    )
    assert found is not None
    return found


def people(first: int, last: int) -> list[str]:
    return [f"c{number}" for number in range(first, last)]


def test_records_and_decisions_are_counted(study: Study) -> None:
    study.plan(reviews=1)
    given = study.dispatched()
    path = write_version(
        study.folder,
        changed=dict.fromkeys(people(0, 12), renamed),
        gone=people(12, 24),
        new=people(100, 120),
    )
    found = previewed(study, path)
    (clinic,) = found.databases
    assert clinic.records == {"unchanged": "36", "changed": "12", "new": "20", "gone": "12"}
    assert clinic.attributes == {"last": "12"}
    assert found.under_way == len(given)
    decide_all(given, SAME)
    found = previewed(study, path)
    assert found.under_way == 0
    counts = {name: int(words) for name, words in found.decisions.items()}
    assert counts["decided"] == counts["stand"] + counts["again"] + counts["void"]
    assert min(counts.values()) >= 10
    assert "clinic: 36 unchanged, 12 changed, 20 new, 12 gone." in sentences_of(found)[0]


def test_few_records_are_not_told_nor_what_gives_them_away(study: Study) -> None:
    path = write_version(study.folder, changed={"c1": renamed}, gone=["c2"])
    found = previewed(study, path).databases[0]
    assert found.records == {
        "unchanged": "about 50",
        "changed": "fewer than 10",
        "new": "0",
        "gone": "fewer than 10",
    }
    assert found.attributes == {}


def test_a_file_of_other_records_gets_no_comparison(study: Study) -> None:
    path = write_version(study.folder, gone=people(0, 31), new=people(100, 131))
    found = previewed(study, path)
    assert not found.databases[0].comparable
    assert (found.databases[0].records, found.decisions) == ({}, {})


def test_every_preview_is_in_the_ledger_as_it_was_told(study: Study) -> None:
    path = write_version(study.folder, changed={"c1": renamed})
    found = previewed(study, path)
    told = [entry.event for entry in read(lines(study.project))]
    (event,) = [each for each in told if isinstance(each, VersionPreviewed)]
    assert (event.database, dict(event.shown)) == ("clinic", found.databases[0].records)
    verify_project(study.project)
    assert study.project.versions.count() == 1


def test_a_file_under_another_name_resembles_its_database(study: Study, tmp_path: Path) -> None:
    path = write_version(study.folder, gone=people(0, 20), new=people(100, 140))
    renamed_file = path.rename(tmp_path / "clinic-2027.csv")
    assert resembled_databases(study.project, {"clinic-2027": open_table(str(renamed_file))}) == {
        "clinic-2027": "clinic"
    }


def test_other_columns_or_other_ids_resemble_nothing(study: Study, tmp_path: Path) -> None:
    other_ids = write_version(study.folder, gone=people(0, 31), new=people(100, 131))
    assert resembled_databases(study.project, {"more": open_table(str(other_ids))}) == {}
    text = (study.folder / "register.csv").read_text(encoding="utf-8")
    other = tmp_path / "more.csv"
    other.write_text(text.replace("id,first", "id,given"), encoding="utf-8")
    assert resembled_databases(study.project, {"more": open_table(str(other))}) == {}


def test_counts_do_not_give_a_small_one_away() -> None:
    assert coarse_counts({"a": 0, "b": 10}) == {"a": "0", "b": "10"}
    for small in range(1, 10):
        told = coarse_counts({"a": 1_000 - small, "b": small})
        assert told == {"a": "about 990", "b": "fewer than 10"}
