"""The doctor names what is wrong around the data, and how to mend it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from mindfirl.services.upkeep import health
from mindfirl.services.upkeep.health import examine, examine_machine
from mindfirl.store.disk import beat
from mindfirl.store.models import Job, Project


def words(found: list[health.Problem]) -> str:
    return "\n".join(each.words for each in found)


def test_all_is_well_in_a_new_installation(home: Path) -> None:
    assert home.exists()
    assert examine_machine() == []
    assert examine() == []


def test_folders_that_are_missing_or_open_to_others(home: Path, settings: Settings) -> None:
    home.chmod(0o750)
    assert "can read the data folder. Remove their permissions" in words(examine_machine())
    home.chmod(0o700)
    Path(settings.MINDFIRL_KEYS).chmod(0o704)
    assert "can read the key folder" in words(examine_machine())
    Path(settings.MINDFIRL_KEYS).rmdir()
    assert "the key folder does not exist" in words(examine_machine())


def test_a_disk_that_is_nearly_full(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home.exists()
    monkeypatch.setattr(health, "_LEAST_SPACE", 1 << 62)
    assert "the disk of the data folder is nearly full" in words(examine_machine())


def test_work_that_waits_for_a_runner_that_is_not_there(home: Path) -> None:
    assert home.exists()
    project = Project.objects.create(name="study")
    job = Job.objects.create(project=project, kind="data import")
    silent = "1 jobs are waiting, but the runner is not running. Run mindfirl serve."
    assert silent in words(examine())
    beat()
    assert silent not in words(examine())
    (home / "runner.alive").unlink()
    Job.objects.filter(id=job.id).update(state="done")
    assert silent not in words(examine())


def test_a_clock_that_was_set_back(home: Path) -> None:
    assert home.exists()
    Project.objects.create(name="study")
    assert "clock" not in words(examine())
    Project.objects.update(created=timezone.now() + timedelta(hours=2))
    assert "the clock of this machine was set back" in words(examine())
