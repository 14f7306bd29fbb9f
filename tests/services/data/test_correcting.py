"""A mistake in the columns is corrected: from the vault, or by one file alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.core.errors import SettingError
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
from tests.support.rounds import by_id, decide_all, ids_of, pairs_of

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


def test_a_kind_needs_the_files(study: Study) -> None:
    text = SCHEMA.replace(SEX, SEX.replace("category", "string"))
    with pytest.raises(SettingError, match="of clinic and register cannot be made of the values"):
        corrected(study, text)
    assert study.project.versions.get().number == 1


def test_a_correction_that_changes_nothing_is_refused(study: Study) -> None:
    with pytest.raises(SettingError, match="The schema says what it said before"):
        corrected(study, SCHEMA)
