"""What the process of a job does, by the kind of the job: staged, then one commit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.db import connection

from mindfirl.core.errors import (
    Cancelled,
    ChangedMeanwhile,
    DataError,
    SettingError,
    UnknownName,
    UnreadableColumns,
)
from mindfirl.core.policy import Actor
from mindfirl.core.progress import Progress
from mindfirl.engine.reading.open_source import open_table, reading_of
from mindfirl.engine.reading.source import TableSource
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.extension import schema_for
from mindfirl.engine.schema.profile import profile_source
from mindfirl.engine.schema.proposal import matched
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.services import dispatch, jobs, labels, pairs, report
from mindfirl.services.data import importing, previews, uploads
from mindfirl.services.data.confirmations import confirmed_databases
from mindfirl.services.data.unreadable import AcceptedColumns
from mindfirl.services.evaluation import truth
from mindfirl.services.link import link_records
from mindfirl.services.plan import forecasts
from mindfirl.services.release import creation, release_choices
from mindfirl.services.upkeep import health
from mindfirl.store.models import Account, Project, Upload
from mindfirl.store.queries.access import actor_for
from mindfirl.store.queries.projects import current_version
from mindfirl.store.vault.sealed_uploads import opened
from mindfirl.workspace.open_version import current_schema

_SECONDS_BETWEEN: Final = 1.0


@dataclass(slots=True)
class _Reporter:
    """Tells how far the work is, about once a second; how long a stage takes, it guesses."""

    attempt: jobs.Attempt
    stage: str = ""
    begun: float = 0.0
    told: float = 0.0

    def __call__(self, stage: str, done: int, steps: int) -> None:
        now = time.monotonic()
        if stage != self.stage:
            self.stage, self.begun = stage, now
        elif now - self.told < _SECONDS_BETWEEN:
            return
        self.told = now
        left = round((now - self.begun) * (steps - done) / done) if 0 < done <= steps else None
        jobs.progress(self.attempt, stage=stage, done=done, steps=steps, seconds_left=left)


@dataclass(frozen=True, slots=True)
class Task:
    attempt: jobs.Attempt
    project: Project
    by: Account
    parameters: dict[str, Any]
    report: Progress

    @property
    def actor(self) -> Actor:
        return actor_for(self.by, self.project)

    @property
    def about(self) -> dict[str, Any]:
        """What services take of whoever asked for the work."""
        return {
            "project": self.project,
            "actor": self.actor,
            "account": self.by,
            "progress": self.report,
            "also": self.finish,
        }

    def finish(self, sentence: str = "") -> None:
        """Mark the job done, within the commit of its effect."""
        jobs.finish(self.attempt, sentence=sentence)


def do(attempt: jobs.Attempt) -> None:
    try:
        job = jobs.begun(attempt)
        if attempt.number > 1:
            health.tidy(project=job.project)
        assert job.by
        _kind(job.kind)(Task(attempt, job.project, job.by, job.parameters, _Reporter(attempt)))
    except Cancelled:
        return
    except Exception as error:  # noqa: BLE001  # whatever it is, the job ends with our own words
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()  # what was lost is opened again
        jobs.fail(attempt, error)


def propose_columns(task: Task) -> None:
    taken = _taken(task.project, uploads.DATABASE)
    with _sources(taken) as sources:
        for each in taken:
            uploads.keep_reading(each, sources[each.database].read_as)
        found = _profiles(task, sources)
        schema, sentence = _proposed(task.project, sources, found)
        unsaid = {each.database: sources[each.database] for each in taken if not each.is_another}
        resembled = previews.resembled_databases(task.project, unsaid)
        preview, sentence = _previewed(task, sources, schema, sentence)
    uploads.keep_profile(
        project=task.project,
        profiles=matched(found, keeping=_names_in_use(task.project)),
        schema=schema,
        preview=preview,
        resembled=resembled,
        also=partial(task.finish, sentence),
    )


def import_data(task: Task) -> None:
    taken, draft = _taken(task.project, uploads.DATABASE), uploads.draft_of(task.project)
    if draft.revision != task.parameters.get("revision", draft.revision):
        raise ChangedMeanwhile
    schema = parse_schema(draft.schema, "the columns of this project")
    with _sources(taken) as sources, _noted(task.project):
        importing.import_databases(
            project=task.project,
            sources=sources,
            schema=schema,
            confirmed=confirmed_databases(task.project, taken),
            start_over=bool(task.parameters.get("start_over")),
            accepted=_acceptance(task.parameters.get("accepted")),
            actor=task.actor,
            progress=task.report,
            also=lambda: _became(task, taken, draft=True),
        )
    uploads.clear(taken)


@contextmanager
def _noted(project: Project) -> Iterator[None]:
    try:
        yield
    except UnreadableColumns as error:
        uploads.keep_unreadable(project, error.columns)
        raise


def _acceptance(kept: dict[str, Any] | None) -> AcceptedColumns | None:
    if not kept:
        return None
    named = frozenset((database, name) for database, name in kept["columns"])
    return AcceptedColumns(kept["reason"], named)


def correct_columns(task: Task) -> None:
    """Make a version of what is stored, under a corrected schema."""
    latest = current_version(task.project)
    if latest is None or latest.number != task.parameters["version"]:
        raise ChangedMeanwhile
    importing.import_databases(
        project=task.project,
        sources={},
        schema=parse_schema(task.parameters["schema"], "the columns of this project"),
        actor=task.actor,
        progress=task.report,
        also=task.finish,
    )


def score_pairs(task: Task) -> None:
    task.report("planning the comparisons", 0, 1)
    blocked = pairs.plan_pairs(
        project=task.project,
        mode=task.parameters.get("mode"),
        most=task.parameters.get("most"),
        source=task.parameters.get("source", "derived"),
        own=task.parameters.get("own", ()),
    )
    pairs.find_pairs(
        project=task.project,
        blocked=blocked,
        engine=DuckDBEngine(),
        seed=task.parameters.get("seed", 1),
        actor=task.actor,
        progress=task.report,
        also=task.finish,
    )


def upload_pairs(task: Task) -> None:
    taken = _taken(task.project, uploads.PAIRS)
    with opened(taken[-1]) as location:
        pairs.bring_pairs(
            project=task.project,
            path=Path(location),
            name=taken[-1].file_name,
            mode=task.parameters.get("mode"),
            actor=task.actor,
            progress=task.report,
            also=lambda: _became(task, taken, draft=False),
        )
    uploads.clear(taken)


def import_answers(task: Task) -> None:
    taken = _taken(task.project, uploads.ANSWERS)
    with opened(taken[-1]) as location:
        labels.import_labels(
            project=task.project,
            actor=task.actor,
            path=Path(location),
            source=task.parameters.get("source", ""),
            name=taken[-1].file_name,
            also=lambda: _became(task, taken, draft=False),
        )
    uploads.clear(taken)


def judge_truth(task: Task) -> None:
    taken = _taken(task.project, uploads.TRUTH)
    with opened(taken[-1]) as location:
        truth.judge_truth(
            project=task.project,
            actor=task.actor,
            path=Path(location),
            name=taken[-1].file_name,
            progress=task.report,
            also=lambda: _became(task, taken, draft=False),
        )
    uploads.clear(taken)


def forecast(task: Task) -> None:
    forecasts.make(**task.about)


def dispatch_pairs(task: Task) -> None:
    found = task.project.dispatches.get(pk=task.parameters["dispatch"])
    dispatch.dispatch_now(dispatch=found, also=task.finish, progress=task.report)


def link(task: Task) -> None:
    link_records(
        **task.about,
        unsettled=bool(task.parameters.get("unsettled")),
        more_errors=bool(task.parameters.get("more_errors")),
    )


def create_release(task: Task) -> None:
    creation.make_release(
        **task.about,
        linkage=task.project.linkages.get(number=task.parameters["linkage"]),
        choices=release_choices.kept_choices(task.parameters["choices"]),
    )


def make_report(task: Task) -> None:
    report.make_report(**task.about, group=task.parameters.get("group", ""))


KINDS: Final[dict[str, Callable[[Task], None]]] = {
    "columns propose": propose_columns,
    "data import": import_data,
    "columns correct": correct_columns,
    "pairs score": score_pairs,
    "pairs upload": upload_pairs,
    "labels import": import_answers,
    "pairs judge": judge_truth,
    "plan forecast": forecast,
    "dispatch": dispatch_pairs,
    "link": link,
    "release create": create_release,
    "report": make_report,
}
"""What is done for each kind of job; nothing else is run."""


def _kind(kind: str) -> Callable[[Task], None]:
    if kind not in KINDS:
        raise UnknownName("kind of work", KINDS)
    return KINDS[kind]


def _taken(project: Project, purpose: str) -> list[Upload]:
    found = uploads.uploads_of(project, purpose)
    if not found:
        raise SettingError("There is no uploaded file to work on. Upload one.")
    return found


def _became(task: Task, taken: Sequence[Upload], *, draft: bool) -> None:
    """Mark the job done, and forget the uploads, in one commit with what became of them."""
    task.finish()
    uploads.forget(taken, draft=draft)


@contextmanager
def _sources(taken: Sequence[Upload]) -> Iterator[dict[str, TableSource]]:
    with ExitStack() as stack:
        yield {each.database: _opened(each, stack.enter_context(opened(each))) for each in taken}


def _opened(upload: Upload, location: str) -> TableSource:
    """Open a file as it is to be read; where that cannot be, keep what there is to choose from."""
    name = upload.file_name
    try:
        return open_table(location, name=name, options=uploads.options_of(upload))
    except DataError:
        uploads.keep_reading(upload, reading_of(Path(location), name=name))
        raise


def _previewed(
    task: Task, sources: dict[str, TableSource], schema: SchemaFile | None, sentence: str
) -> tuple[dict[str, Any], str]:
    """Compare files with the databases that they replace; where that cannot be, say why."""
    if schema is None:
        return {}, sentence
    try:
        found = previews.preview_version(
            project=task.project,
            actor=task.actor,
            sources=sources,
            schema=schema,
            progress=task.report,
        )
    except DataError as error:
        return {}, sentence or str(error)
    return asdict(found) if found else {}, sentence


def _names_in_use(project: Project) -> tuple[str, ...]:
    current = current_schema(project)
    return current.schema.names if current else ()


def _profiles(task: Task, sources: dict[str, TableSource]) -> list[ColumnProfile]:
    found: list[ColumnProfile] = []
    for done, (name, source) in enumerate(sources.items()):
        task.report("analysing columns", done, len(sources))
        found += profile_source(source, name)
    return found


def _proposed(
    project: Project, sources: dict[str, TableSource], found: Sequence[ColumnProfile]
) -> tuple[SchemaFile | None, str]:
    """Propose a schema; where none can be, say why, and leave it to people."""
    effect = importing.effect_of(project, list(sources))
    try:
        schema, _ = schema_for(
            effect.added,
            [*effect.kept, *effect.replaced],
            lambda names: [each for each in found if each.database in names],
            given=None,
            current=current_schema(project),
            latest_year=datetime.now(UTC).year,
        )
    except DataError as error:
        return None, str(error)
    return schema, ""
