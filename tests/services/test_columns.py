"""What the columns of uploaded databases are to be: kept, refused, or overtaken."""

from __future__ import annotations

from dataclasses import asdict, replace

import pyarrow as pa
import pytest

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors, NotAllowed, SettingError
from mindfirl.core.policy import COMMAND_LINE, actor
from mindfirl.engine.schema.choices import ColumnChoices
from mindfirl.engine.schema.profile import profile_table
from mindfirl.engine.schema.proposal import propose_schema
from mindfirl.engine.schema.schema_file import write_schema
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.services.columns import draft_of, imported_columns, save_columns
from mindfirl.services.projects import create_project
from mindfirl.store.models import ColumnsDraft, Project, Upload

pytestmark = pytest.mark.usefixtures("home")

PEOPLE = pa.table({"last_name": ["Ann", "Bea"], "dob": ["1950-12-31", "1960-02-03"]})
MANAGER = actor("somebody", roles=["manager"])


@pytest.fixture
def project() -> Project:
    """A project in which the columns of one file were looked at."""
    project = create_project(name="study", actor=COMMAND_LINE, synthetic=True)
    upload(project, "people")
    profiles = profile_table(PEOPLE, "people")
    schema = write_schema(propose_schema(profiles, latest_year=2020))
    kept = [asdict(each) for each in profiles]
    ColumnsDraft.objects.create(project=project, profile=kept, schema=schema, revision=3)
    return project


def upload(project: Project, database: str) -> Upload:
    return Upload.objects.create(
        project=project, database=database, file_name="f.csv", size=1, digest="", sealed_key=b""
    )


def offered(project: Project) -> ColumnChoices:
    draft = draft_of(project)
    assert draft is not None
    return draft.choices


def test_a_draft_offers_what_the_schema_says(project: Project) -> None:
    draft = draft_of(project)
    assert draft is not None
    assert (draft.revision, draft.kept, draft.stale) == (3, (), False)
    assert [each.name for each in draft.choices.columns] == ["last_name", "birth_date"]
    assert draft.profiles == tuple(profile_table(PEOPLE, "people"))


def test_what_is_chosen_is_kept_and_counted(project: Project) -> None:
    choices = replace(offered(project), without_duplicates=frozenset({"people"}))
    schema = save_columns(project=project, actor=MANAGER, revision=3, choices=choices)
    draft = ColumnsDraft.objects.get()
    assert draft.revision == 4
    assert parse_schema(draft.schema, "") == schema
    assert offered(project) == choices


def test_an_older_revision_is_refused(project: Project) -> None:
    with pytest.raises(ChangedMeanwhile):
        save_columns(project=project, actor=MANAGER, revision=2, choices=offered(project))
    assert ColumnsDraft.objects.get().revision == 3


def test_who_is_late_is_told_that_before_what_is_wrong(project: Project) -> None:
    wrong = replace(offered(project), latest_year="x")
    with pytest.raises(ChangedMeanwhile):
        save_columns(project=project, actor=MANAGER, revision=2, choices=wrong)


def test_choices_for_other_columns_are_refused(project: Project) -> None:
    choices = offered(project)
    fewer = replace(choices, columns=choices.columns[:1])
    with pytest.raises(ChangedMeanwhile):
        save_columns(project=project, actor=MANAGER, revision=3, choices=fewer)


def test_what_is_wrong_is_told_by_field_and_nothing_is_kept(project: Project) -> None:
    wrong = replace(offered(project), latest_year="x")
    with pytest.raises(FieldErrors) as caught:
        save_columns(project=project, actor=MANAGER, revision=3, choices=wrong)
    assert caught.value.fields.keys() == {"latest_year"}
    assert ColumnsDraft.objects.get().revision == 3


def test_only_a_manager_chooses(project: Project) -> None:
    with pytest.raises(NotAllowed):
        save_columns(
            project=project,
            actor=actor("else", roles=["auditor", "worker"]),
            revision=3,
            choices=offered(project),
        )


@pytest.mark.parametrize("change", ["further", "gone", "again"])
def test_files_that_changed_since_make_a_draft_stale(project: Project, change: str) -> None:
    choices = offered(project)
    if change == "further":
        upload(project, "other")
    if change in ("gone", "again"):
        Upload.objects.all().delete()
    if change == "again":
        upload(project, "people")
    draft = draft_of(project)
    assert draft is not None
    assert draft.stale
    with pytest.raises(SettingError, match="analyse the columns again"):
        save_columns(project=project, actor=MANAGER, revision=3, choices=choices)


def test_scored_pairs_are_no_database(project: Project) -> None:
    Upload.objects.create(
        project=project, purpose="pairs", file_name="p.csv", size=1, digest="", sealed_key=b""
    )
    draft = draft_of(project)
    assert draft is not None
    assert not draft.stale


def test_without_anything_looked_at_there_is_no_draft(project: Project) -> None:
    ColumnsDraft.objects.all().delete()
    assert draft_of(project) is None
    assert imported_columns(project) == {}
    with pytest.raises(SettingError):
        save_columns(project=project, actor=MANAGER, revision=0, choices=ColumnChoices(()))


def test_where_no_schema_could_be_proposed_looks_are_offered(project: Project) -> None:
    ColumnsDraft.objects.update(schema="")
    assert [each.role for each in offered(project).columns] == ["identifier", "quasi-identifier"]
    save_columns(project=project, actor=MANAGER, revision=3, choices=offered(project))
    assert "last_name" in ColumnsDraft.objects.get().schema
