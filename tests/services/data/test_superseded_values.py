"""People who are gone at the source leave the vault once no work needs the older version."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from mindfirl.core.errors import SettingError
from mindfirl.core.ledger.chain import read
from mindfirl.core.ledger.project_events import ValuesDeleted
from mindfirl.services.link import link_records
from mindfirl.services.pairs import set_bands
from mindfirl.services.release.release_states import delete_expired
from mindfirl.services.upkeep.health import examine, rotate_keys
from mindfirl.store import vault
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Project, SealedFile, Version
from mindfirl.workspace.superseded_values import delete_all_superseded_values, has_values
from tests.support.conflicts import SAME
from tests.support.exported import import_again as next_year
from tests.support.exported import make_linked, synthetic
from tests.support.ledgers import verify_project
from tests.support.reviews import BANDS, Study, make_study
from tests.support.rounds import decide_all, import_version, write_version


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=30, pairs=60)


def deleted(project: Project) -> list[dict[str, int]]:
    found = [entry.event for entry in read(lines(project))]
    return [dict(event.databases) for event in found if isinstance(event, ValuesDeleted)]


def first(project: Project) -> Version:
    return project.versions.get(number=1)


def on_disk(project: Project) -> set[str]:
    return {path.stem for path in vault.folder_of(project.pk).glob("*.parquet")}


def test_an_open_assignment_keeps_them_and_its_end_lets_them_go(study: Study) -> None:
    study.plan(reviews=1)
    given = study.dispatched()
    old = first(study.project)
    clinic = old.databases.get(name="clinic")
    values = (clinic.identity, clinic.sensitive, clinic.joining, old.index)
    files = {str(each.name) for each in values}
    import_version(study.project, write_version(study.folder, gone=["c3"]))
    assert has_values(old)
    assert files <= on_disk(study.project)
    decide_all(given, SAME)
    assert delete_all_superseded_values() == 1
    assert not has_values(old)
    assert not files & on_disk(study.project)
    assert str(old.index.name) not in on_disk(study.project)
    old = first(study.project)
    assert old.frozen is not None
    assert old.frozen.kind == "frozen"
    assert deleted(study.project) == [{"clinic": 30}], "the register stayed as it was"
    assert delete_all_superseded_values() == 0
    assert examine() == []
    verify_project(study.project)


def test_an_import_deletes_what_nobody_works_on(study: Study) -> None:
    study.plan(reviews=1)
    decide_all(study.dispatched(), SAME)
    import_version(study.project, write_version(study.folder, gone=["c3"]))
    assert not has_values(first(study.project))
    rotate_keys(project=study.project)
    verify_project(study.project)


def test_a_linkage_and_its_releases_keep_them_until_a_newer_one(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    linked = make_linked(tmp_path, synthetic(60))
    project = linked.project
    made = linked.release(linked_only=False)
    again = next_year(linked, tmp_path, linked.made)
    assert again.linkage.version.number == 2
    assert has_values(first(project)), "a release of it is there, and its crosswalk may be wanted"
    assert delete_expired(now=timezone.now() + timedelta(days=400)) == 1
    delete_all_superseded_values()
    assert not has_values(first(project))
    assert made.linkage == linked.linkage
    with pytest.raises(SettingError, match="the values of version 1 were deleted"):
        linked.release(linked_only=False)
    verify_project(project)


def test_the_newest_linkage_keeps_them(study: Study) -> None:
    set_bands(project=study.project, bands=BANDS)
    link_records(project=study.project, actor=study.actor, unsettled=True, more_errors=True)
    import_version(study.project, write_version(study.folder, gone=["c3"]))
    assert has_values(first(study.project)), "it can still be released"


def test_what_is_deleted_cannot_be_opened(study: Study) -> None:
    study.plan(reviews=1)
    decide_all(study.dispatched(), SAME)
    import_version(study.project, write_version(study.folder, gone=["c3"]))
    clinic = first(study.project).databases.get(name="clinic")
    file = SealedFile.objects.get(pk=clinic.sensitive_id)
    assert (bytes(file.sealed_key), file.key, file.digest) == (b"", "", "")
