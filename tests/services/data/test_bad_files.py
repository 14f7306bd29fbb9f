"""Broken, odd and hostile files at the door: a clear sentence or a clean import."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from mindfirl.cli import main
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.engine.reading.open_source import open_table
from mindfirl.services.projects import create_project
from mindfirl.store import vault
from mindfirl.store.models import Database, Member, Project, SealedFile, Version
from tests.conftest import Figure
from tests.support.bad_files import TRACER, bad_file
from tests.support.proof import FULL

FILES = 2_000 if FULL else 60


@pytest.mark.proof
@pytest.mark.usefixtures("home")
def test_bad_files_are_imported_whole_or_not_at_all(tmp_path: Path, figure: Figure) -> None:
    project = create_project(name="study", actor=COMMAND_LINE, synthetic=True)
    refused = 0
    for seed in range(FILES):
        path = bad_file(seed, tmp_path)
        before = _state()
        words = ["data", "import", "study", str(path), "--as", f"bad{seed}", "--yes"]
        done = CliRunner().invoke(main, words)
        assert done.exception is None or isinstance(done.exception, SystemExit), path.name
        assert done.exit_code in {0, 2}, path.name
        assert TRACER not in done.output, path.name
        imported = done.exit_code == 0
        refused += not imported
        assert imported or _state() == before, path.name
        assert imported or done.stderr.splitlines()[-1].startswith("Error: ")
        if imported:
            _check_whole(project, path)
        assert vault.strays(project.id) == []
        path.unlink()
        if seed % 3 == 0:  # the next file finds an empty project, or one with other databases
            _empty(project)
    assert 0 < refused < FILES
    figure(
        f"bad files imported: {FILES:,}, {refused:,} refused in a sentence, "
        f"{FILES - refused:,} imported whole, 0 tracebacks, 0 in part, 0 values shown"
    )


def _state() -> list[list[int]]:
    """Return all rows: what a refused file must not have changed."""
    return [
        sorted(model.objects.values_list("pk", flat=True))
        for model in (Version, Database, Member, SealedFile)
    ]


def _check_whole(project: Project, path: Path) -> None:
    """Open everything, hold it against the file, and look for values in the database."""
    version = project.versions.get()
    assert TRACER not in version.schema
    assert vault.unseal(version.index).num_rows
    newest = version.databases.latest("imported")
    source = open_table(str(path))
    assert newest.records == source.table(source.columns).num_rows
    for database in version.databases.all():
        assert TRACER not in str(database.report)
        for file in (database.identity, database.sensitive, database.joining):
            assert vault.unseal(file).num_rows == database.records


def _empty(project: Project) -> None:
    project.versions.all().delete()
    Database.objects.all().delete()
    vault.remove(project.id, vault.forget_unused(project))
