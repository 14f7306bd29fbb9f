"""A mistake in the columns is corrected: from the vault, or by one file alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.core.errors import SettingError
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.separate import PSEUDONYM, RECORD
from mindfirl.services.data.importing import import_databases
from mindfirl.store import vault
from mindfirl.store.models import Version
from mindfirl.workspace.carried_votes import votes_in
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

SEX = """
[[attribute]]
name = "sex"
kind = "category"
"""


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=30, pairs=60)


def schema(text: str = SCHEMA) -> SchemaFile:
    return parse_schema(text, "schema.toml")


def corrected(study: Study, text: str) -> Version:
    """Import nothing, under another schema."""
    return import_databases(project=study.project, sources={}, schema=schema(text))


def values(version: Version, name: str, attribute: str) -> dict[str, str | None]:
    table = vault.unseal(version.databases.get(name=name).identity)
    ids, cells = (table.column(each).to_pylist() for each in (RECORD, attribute))
    return dict(zip(ids, cells, strict=True))


def test_a_column_is_left_out_from_the_vault_and_decisions_stand(study: Study) -> None:
    study.plan(reviews=1)
    decide_all(study.dispatched(), SAME)
    first = study.project.versions.get()
    decided, before = pairs_of(study, first), values(first, "clinic", "last")
    second = corrected(study, SCHEMA.replace(SEX, ""))
    table = vault.unseal(second.databases.get(name="clinic").identity)
    assert table.column_names == [PSEUDONYM, RECORD, "first", "last", "born"]
    assert values(second, "clinic", "last") == before
    assert second.databases.get(name="clinic").report["not_imported"] == ["sex"]
    assert by_id(second, votes_in(second)) == decided
    assert sorted(ids_of(second)) == sorted(ids_of(first))
    verify_project(study.project)


def test_a_role_a_name_and_a_mark_are_corrected_from_the_vault(study: Study) -> None:
    text = SCHEMA.replace('name = "last"', 'name = "surname"\ncolumn = "last"')
    text = text.replace('"last"]]', '"surname"]]').replace(
        'date_order = "ymd"', 'date_order = "ymd"\nwithout_duplicates = ["clinic"]'
    )
    text = text.replace(SEX, f'{SEX}role = "quasi-identifier"\n')
    before = values(study.project.versions.get(), "register", "last")
    second = corrected(study, text)
    assert values(second, "register", "surname") == before
    clinic = second.databases.get(name="clinic")
    assert clinic.without_duplicates
    assert [each["role"] for each in clinic.report["attributes"]][-1] == "quasi-identifier"


def test_text_and_categories_are_corrected_from_the_vault_and_decisions_stand(study: Study) -> None:
    study.plan(reviews=1)
    decide_all(study.dispatched(), SAME)
    first = study.project.versions.get()
    decided, before = pairs_of(study, first), values(first, "clinic", "sex")
    second = corrected(study, SCHEMA.replace(SEX, SEX.replace("category", "string")))
    assert values(second, "clinic", "sex") == before
    assert by_id(second, votes_in(second)) == decided
    verify_project(study.project)


def test_what_changed_before_a_name_was_corrected_stays_changed(study: Study) -> None:
    study.plan(reviews=1)
    decide_all(study.dispatched(), SAME)
    first = study.project.versions.get()
    decided = pairs_of(study, first)
    married = min(min(pair) for pair in decided)
    ids_of(first)
    second = import_version(study.project, write_version(study.folder, changed={married: renamed}))
    stand = by_id(second, votes_in(second))
    assert stand == {pair for pair in decided if married not in pair}
    text = SCHEMA.replace('name = "last"', 'name = "surname"\ncolumn = "last"')
    third = corrected(study, text.replace('"last"]]', '"surname"]]'))
    assert by_id(third, votes_in(third)) == stand
    verify_project(study.project)


def test_a_sensitive_column_that_one_database_has_is_kept(study: Study) -> None:
    """A schema that names it once for all is about the databases that have it."""
    for database in ("clinic", "register"):
        path = study.folder / f"{database}.csv"
        head, *rows = path.read_text(encoding="utf-8").splitlines()
        lines = [f"{head},ward", *(f"{row},A" for row in rows)]
        path.write_text("\n".join(lines if database == "clinic" else [head, *rows]) + "\n")
    with_ward = f'{SCHEMA}\n[[sensitive]]\nname = "ward"\n'
    import_databases(
        project=study.project,
        sources={"clinic": open_table(str(study.folder / "clinic.csv"))},
        schema=schema(with_ward),
    )
    third = corrected(
        study, with_ward.replace('name = "ward"', 'name = "station"\ncolumn = "ward"')
    )
    reports = {each.name: each.report["sensitive"] for each in third.databases.all()}
    assert {name: list(each) for name, each in reports.items()} == {
        "clinic": ["station"],
        "register": [],
    }


def test_another_kind_needs_the_files(study: Study) -> None:
    text = SCHEMA.replace(SEX, SEX.replace("category", "fixed"))
    with pytest.raises(
        SettingError, match="to clinic and register need values that are not stored"
    ):
        corrected(study, text)
    assert study.project.versions.get().number == 1


def test_a_correction_that_changes_nothing_is_refused(study: Study) -> None:
    with pytest.raises(SettingError, match="the schema is the same as before"):
        corrected(study, SCHEMA)
