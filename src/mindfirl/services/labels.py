"""Answers that are known from elsewhere: standing decisions, which nobody is asked again."""

from __future__ import annotations

from pathlib import Path

from django.utils import timezone

from mindfirl.core.errors import DataError, FieldErrors
from mindfirl.core.ledger.project_events import LabelsImported
from mindfirl.core.policy import Actor, check_may
from mindfirl.engine.pairs.known_answers import read_known_answers
from mindfirl.store.changes import working_on
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import KnownAnswer, LabelSet, Project
from mindfirl.workspace.commits import Also, commit, next_number, nothing
from mindfirl.workspace.open_version import open_project

_LONGEST_SOURCE = 120


def import_labels(
    *,
    project: Project,
    actor: Actor,
    path: Path,
    source: str,
    name: str | None = None,
    also: Also = nothing,
) -> LabelSet:
    """Keep known answers of the newest version; one that is known already is replaced.

    ``name`` is what the file was called.
    """
    check_may(actor, "find pairs")
    words = read_source(source)
    data = open_project(project)
    record_id = data.schema_file.record_id
    id_column = record_id if isinstance(record_id, str) else None
    found = read_known_answers(path, data.record_ids(), id_column=id_column, name=name)
    if not len(found.left):
        raise DataError("there is no answer in it.", "Give at least one.", file=name or path.name)
    with working_on(project.id), commit(ledger=project):
        made = LabelSet.objects.create(
            project=project,
            version=data.version,
            number=next_number(project.label_sets),
            source=words,
            at=timezone.now(),
            pairs=len(found.left),
            left_out=found.left_out,
        )
        answers = [
            KnownAnswer(label_set=made, left=left, right=right, same=same)
            for left, right, same in zip(
                found.left.tolist(), found.right.tolist(), found.same.tolist(), strict=True
            )
        ]
        KnownAnswer.objects.bulk_create(answers)
        digest = digests_of(project).label_set(made, answers)
        told = LabelsImported(made.number, data.version.number, len(answers), words, digest)
        append(project, at=made.at, actor=actor.name, events=[told])
        also()
    return made


def read_source(typed: str) -> str:
    """Check where answers are said to come from."""
    words = typed.strip()
    if not 1 <= len(words) <= _LONGEST_SOURCE or not words.isprintable():
        wrong = f"Enter the source of the answers, in 1 to {_LONGEST_SOURCE} characters."
        raise FieldErrors({"source": wrong})
    return words
