"""What is left of an older version: what was shown of its records, and none of their values."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from django.apps import apps
from django.core import serializers
from django.utils import timezone

from mindfirl.core.errors import IndexDeleted
from mindfirl.core.ledger.chain import read
from mindfirl.core.ledger.project_events import ValuesDeleted
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.population.arrays import END
from mindfirl.core.progress import no_progress
from mindfirl.core.risk.kapr import Step
from mindfirl.services.dispatch import assignments
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.services.report.compose import make_report
from mindfirl.services.review.disclosure.commenting import comment, comments_of
from mindfirl.services.review.disclosure.opening import meters_of, open_step
from mindfirl.services.upkeep.health import rotate_keys
from mindfirl.store import vault
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import AssignedPair, Assignment, Project, Version
from mindfirl.workspace.comment_checks import comments_set_aside
from mindfirl.workspace.frozen_versions import freeze
from mindfirl.workspace.open_version import open_version, population_of
from mindfirl.workspace.seen_together import count_together
from mindfirl.workspace.superseded_values import delete_all_superseded_values
from tests.services.review.test_project_total import open_something
from tests.support.conflicts import SAME
from tests.support.ledgers import verify_project
from tests.support.reviews import BANDS, Study, make_study
from tests.support.rounds import decide_all, import_version, renamed, stored, write_version

TRACER = "\ue123\ue124\ue125\ue126"
"""A last name that nobody else has, in letters that are nowhere by themselves."""
SAME_AFTERWARDS = ("people", "together", "project_wide", "rounds", "attributes", "over_time")


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=20, pairs=60)


def called(name: str) -> Any:
    return lambda row: [row[0], row[1], name, *row[3:]]


def two_rounds(study: Study, dice: random.Random, **plan: Any) -> list[Assignment]:
    """Work on two versions; nobody works on the first any more, and its values are still there."""
    plan = {"budget": "100", "project_limit": "100", "reviews": 1, **plan}
    study.plan(**plan)
    first = stored(study.dispatched())
    for _ in range(60):
        open_something(dice.choice(first), dice)
    changed = {f"c{number}": renamed for number in range(0, 20, 2)}
    import_version(study.project, write_version(study.folder, changed=changed, gone=["c3"]))
    path = study.folder / "pairs.csv"
    header, *pairs = path.read_text(encoding="utf-8").splitlines()
    kept = [pair for pair in pairs if not pair.startswith("c3,")]
    path.write_text("\n".join([header, *kept]) + "\n", encoding="utf-8")
    decide_all(first, SAME)
    bring_pairs(project=study.project, path=path, mode=None, progress=no_progress)
    set_bands(project=study.project, bands=BANDS)
    study.plan(**plan)
    second = stored(study.dispatched())
    for _ in range(25):
        open_something(dice.choice(second), dice)
    return second


def reported(project: Project, group: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        make_report(project=project, actor=COMMAND_LINE, group=group).text
    )
    return found


def first_of(project: Project) -> Version:
    return project.versions.get(number=1)


def in_vault(project: Project) -> list[str]:
    """Return the kinds of the files of a project in which the tracer is, in any writing."""
    written = [TRACER.encode(form) for form in ("utf-8", "utf-16-le", "utf-32-le")]
    written.append(np.array([[ord(each), END] for each in TRACER], dtype="<u4").tobytes())
    return sorted(
        file.kind
        for file in vault.kept_files(project.pk)
        if any(each in plain(vault.unseal(file)) for each in written)
    )


def plain(table: pa.Table) -> bytes:
    """Return all that a table holds, its metadata included, as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def in_tables() -> list[str]:
    """Return the tables of the database in which the tracer is."""
    return [
        model.__name__
        for model in apps.get_app_config("store").get_models()
        for rows in [model._base_manager.all()]  # noqa: SLF001  # Django's way
        if TRACER in serializers.serialize("json", rows, ensure_ascii=False)
    ]


@pytest.mark.parametrize(
    "plan",
    [
        {},
        {"accounting": "strict", "kappa": 2},
        {"starting": {"born": "partial"}, "reviews": 2},
        {"prices": "banded", "frequency_bands": True},
    ],
    ids=["as it is", "strict", "starting", "banded"],
)
def test_reports_and_the_limit_say_the_same_without_the_index(
    study: Study, plan: dict[str, Any]
) -> None:
    dice = random.Random(4)
    second = two_rounds(study, dice, **plan)
    seen, before = count_together(study.project), reported(study.project, "first")
    assert delete_all_superseded_values() == 1
    assert first_of(study.project).frozen is not None
    assert count_together(study.project) == seen
    after = reported(study.project, "first")
    assert [after[name] for name in SAME_AFTERWARDS] == [before[name] for name in SAME_AFTERWARDS]
    for _ in range(20):
        open_something(dice.choice(second), dice)
    assert count_together(study.project) >= seen
    verify_project(study.project)


def test_a_person_who_is_gone_leaves_the_vault(study: Study) -> None:
    import_version(study.project, write_version(study.folder, changed={"c3": called(TRACER)}))
    bring_pairs(
        project=study.project, path=study.folder / "pairs.csv", mode=None, progress=no_progress
    )
    set_bands(project=study.project, bands=BANDS)
    study.plan(budget="100", project_limit="100", reviews=1)
    given, dice = stored(study.dispatched()), random.Random(2)
    for _ in range(60):
        open_something(dice.choice(given), dice)
    import_version(study.project, write_version(study.folder, gone=["c3"]))
    assert in_vault(study.project) == ["identity", "index"], "people still work on it"
    decide_all(given, SAME)
    delete_all_superseded_values()
    assert in_vault(study.project) == []
    assert in_tables() == []
    rotate_keys(project=study.project)
    assert in_vault(study.project) == []
    assert count_together(study.project) > 0
    reported(study.project, "last")
    verify_project(study.project)


def test_the_ledger_tells_which_index_was_deleted(study: Study) -> None:
    two_rounds(study, random.Random(3))
    delete_all_superseded_values()
    told = [entry.event for entry in read(lines(study.project))]
    assert [each.indexes for each in told if isinstance(each, ValuesDeleted)] == [(1,)]


def test_what_is_frozen_holds_counts_and_positions_alone(study: Study) -> None:
    two_rounds(study, random.Random(3))
    table = freeze(first_of(study.project))
    kept = set(table.column_names)
    assert kept == {
        *("assignment", "pair", "row", "record", "lengths", "partial", "levels", "shown"),
        *("k", "strict_k", "own_k", "together_k", "accounted_k"),
    }
    texts = [name for name in kept if pa.types.is_string(table.schema.field(name).type)]
    assert texts == ["assignment"]


def test_nobody_takes_over_pairs_of_a_version_without_values(study: Study) -> None:
    study.plan(budget="100", reviews=1)
    first, *others = stored(study.dispatched())
    import_version(study.project, write_version(study.folder, gone=["c3"]))
    decide_all(others, SAME)
    assignments.end(assignment=first, actor=study.actor, reason="enough")
    delete_all_superseded_values()
    about: dict[str, Any] = {"actor": study.actor, "budgets": ["50"], "reason": "ill"}
    with pytest.raises(IndexDeleted, match="values of version 1 were deleted"):
        assignments.reassign(assignment=first, to=[others[0].account], **about)
    with pytest.raises(IndexDeleted):
        open_version(first_of(study.project)).index()
    (found,) = stored([first])
    assert found.characters is None, "nothing was opened in it, so nothing was counted"
    shown = meters_of(assignment=found)
    assert (shown.shown, shown.characters > 0) == (0, True)


def test_a_comment_that_repeats_what_was_opened_is_never_passed_on(study: Study) -> None:
    """It was written before the opening; without the values nobody could compare it again."""
    study.plan(budget="100", reviews=1)
    first, *others = stored(study.dispatched())
    named = {pair.number: pair for pair in first.pairs.all() if last_name(pair)}
    (number, pair), (other, beside) = list(named.items())[:2]
    now = timezone.now()
    about: dict[str, Any] = {"account": first.account, "assignment": first, "now": now}
    comment(token=pair.token, words=f"She was {last_name(pair)}.", **about)
    comment(token=beside.token, words="Nothing to say.", **about)
    said = comments_of(assignment=first)
    open_step(token=pair.token, step=Step("last", "full"), seen=0, **about)
    assert comments_set_aside(first, said) == {number}
    import_version(study.project, write_version(study.folder, gone=["c3"]))
    decide_all(others, SAME)
    assignments.end(assignment=first, actor=study.actor, reason="enough")
    delete_all_superseded_values()
    (found,) = stored([first])
    assert found.version.frozen is not None
    assert sorted(said) == sorted({number, other})
    assert comments_set_aside(found, said) == {number}


def last_name(pair: AssignedPair) -> str:
    value = population_of(pair.assignment).record(pair.left)[1]
    return "".join(value.reveal())
