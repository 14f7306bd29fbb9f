"""Broken, odd and hostile files at the door: a clear sentence or a clean import."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from mindfirl.cli import main
from mindfirl.services.projects import create_project
from mindfirl.store import vault
from mindfirl.store.models import Database, Member, SealedFile, Version
from tests.bad_files import TRACER, bad_file
from tests.conftest import Figure
from tests.proof import FULL

FILES = 2_000 if FULL else 400


@pytest.mark.proof
@pytest.mark.usefixtures("home")
def test_bad_files_are_imported_whole_or_not_at_all(tmp_path: Path, figure: Figure) -> None:
    project = create_project(name="study")
    refused = 0
    for seed in range(FILES):
        path = bad_file(seed, tmp_path)
        before = _state()
        done = CliRunner().invoke(main, ["import", "study", str(path), "--as", "bad", "--yes"])
        assert done.exception is None or isinstance(done.exception, SystemExit), path.name
        assert done.exit_code in {0, 2}, path.name
        assert TRACER not in done.output, path.name
        refused += done.exit_code == 2
        if done.exit_code == 2:
            assert _state() == before
            assert done.stderr.splitlines()[-1].startswith("Error: ")
        assert vault.strays(project.id) == []
        _check_whole()
        project.versions.all().delete()  # the next file finds an empty project again
        Database.objects.all().delete()
        vault.remove(project.id, vault.forget_unused(project))
        path.unlink()
    assert 0 < refused < FILES
    figure(
        f"bad files imported: {FILES:,}, {refused:,} refused in a sentence, "
        f"{FILES - refused:,} imported whole, 0 tracebacks, 0 in part, 0 values shown"
    )


def _state() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Version, Database, Member, SealedFile))


def _check_whole() -> None:
    for version in Version.objects.all():
        assert vault.unseal(version.index).num_rows
        for database in version.databases.all():
            for file in (database.identity, database.sensitive, database.joining):
                assert vault.unseal(file).num_rows == database.records == version.records
