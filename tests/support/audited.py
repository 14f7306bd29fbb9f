"""A study under way whose ledger is worth auditing, and attackers who write to its database."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import connection, transaction

from mindfirl.core.ledger.receipts import Receipt, statement
from mindfirl.core.ledger.replay import GENESIS, Head
from mindfirl.core.review.shown_pair import ShownPair
from mindfirl.core.risk.kapr import Step
from mindfirl.core.values.schema import Level
from mindfirl.services.dispatch.assignments import end, pause, resume
from mindfirl.services.review.disclosure.opening import assignment_of, open_step, show_pairs
from mindfirl.store.crypto.sealing import public_key, sign
from mindfirl.store.hot_path import ADD_LEDGER_LINE, rows, run, to_db_value
from mindfirl.store.ledger.heads import sign_head
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Assignment, Project
from tests.support.reviews import Study, make_study
from tests.support.snapshots import snapshot

NOON = datetime(2031, 5, 7, 12, tzinfo=UTC)
Lines = list[str]


@dataclass(frozen=True)
class Audited:
    """A study, its ledger as it was, and a receipt of all of it."""

    study: Study
    before: Lines
    receipt: Receipt

    @property
    def project(self) -> Project:
        return self.study.project


@snapshot
def make_audited(folder: Path, *, openings: int = 12) -> Audited:
    """Give pairs out, open some, change assignments; sign a head now and then, and at the end."""
    study = make_study(folder, people=30, pairs=30, workers=2)
    study.plan(budget="100")
    given = study.dispatched()
    sign_head(study.project, "day")
    open_twice(given[0])
    dice = random.Random(4)
    for mine in given:
        open_some(mine, dice, openings)
        sign_head(study.project, "report")
    pause(assignment=given[0], actor=study.actor)
    resume(assignment=given[0], actor=study.actor)
    open_some(given[0], dice, openings)
    end(assignment=given[1], actor=study.actor, reason="left for another town")
    receipt = sign_head(study.project, "receipt")
    return Audited(study, list(lines(study.project)), receipt)


def open_some(mine: Assignment, dice: random.Random, times: int) -> None:
    """Open this many cells of a few pairs at random."""
    done = 0
    while done < times:
        pair = _shown(mine, dice.randint(1, 8))
        steps = [(cell.attribute, step.level) for cell in pair.cells for step in cell.steps]
        if steps:
            open_to(mine, pair.number, *dice.choice(steps))
            done += 1


def open_twice(mine: Assignment) -> None:
    """Open a cell that can be opened to partial, and then to full."""
    for number in range(1, mine.size + 1):
        for cell in _shown(mine, number).cells:
            if [step.level for step in cell.steps] == ["partial", "full"]:
                open_to(mine, number, cell.attribute, "partial")
                open_to(mine, number, cell.attribute, "full")
                return
    raise AssertionError("no cell has two steps")


def open_to(mine: Assignment, number: int, attribute: str, level: Level) -> None:
    pair = _shown(mine, number)
    open_step(
        account=mine.account,
        assignment=assignment_of(account=mine.account, assignment=mine.pk),
        token=pair.token,
        step=Step(attribute, level),
        seen=pair.state,
        now=NOON,
    )


def _shown(mine: Assignment, number: int) -> ShownPair:
    now = assignment_of(account=mine.account, assignment=mine.pk)
    (pair,) = show_pairs(assignment=now, numbers=[number])
    return pair


@contextmanager
def undone() -> Iterator[None]:
    """Undo what happens to the database within."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def sealed(content: dict[str, Any]) -> str:
    """Write an entry with a digest that fits."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return f"{sha256(text.encode()).hexdigest()} {text}"


def content_of(line: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(line[65:])
    return content


def write_over(project: Project, number: int, line: str) -> None:
    run(
        "UPDATE store_ledgerline SET line = %s WHERE project_id = %s AND number = %s",
        line,
        project.pk,
        number,
    )


def set_head(project: Project, now: Lines) -> None:
    """Let the stored head fit the lines."""
    head = Head(len(now), now[-1][:64]) if now else Head()
    run(
        "UPDATE store_ledgerhead SET entries = %s, digest = %s WHERE project_id = %s",
        head.entries,
        head.digest,
        project.pk,
    )


def write_all(project: Project, now: Lines) -> None:
    """Put other lines in place of all, with all that stands beside them, and let the head fit.

    What shows who wrote a line stays with it; one that was not there before gets that of another.
    """
    macs: dict[str, str] = dict(rows(_LINES, project.pk))
    some = next(iter(macs.values()))
    run("DELETE FROM store_ledgerline WHERE project_id = %s", project.pk)
    with connection.cursor() as cursor:
        cursor.executemany(
            ADD_LEDGER_LINE,
            [
                (to_db_value(project.pk), number, line, macs.get(line, some), *columns_of(line))
                for number, line in enumerate(now, start=1)
            ],
        )
    set_head(project, now)


_LINES = "SELECT line, mac FROM store_ledgerline WHERE project_id = %s"


def columns_of(line: str) -> tuple[Any, ...]:
    """Say what stands beside a line in its row."""
    content = content_of(line)
    event = content["event"]
    by = (content["format"], event["kind"], content["actor"], content["made_by"], content["round"])
    return (*by, event.get("assignment", ""), event.get("pair", 0))


def rechained(entries: list[dict[str, Any]]) -> Lines:
    """Number and chain entries again, so that all digests fit."""
    previous, now = GENESIS, []
    for number, content in enumerate(entries, start=1):
        line = sealed({**content, "number": number, "previous": previous})
        previous = line[:64]
        now.append(line)
    return now


def altered(content: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """Say something else in an entry than was so."""
    event = dict(content["event"])
    choices = [{**content, "at": "2031-05-07T11:59:59.000000Z"}, {**content, "actor": "nobody"}]
    if "charge" in event:
        choices.append({**content, "event": {**event, "charge": max(event["charge"] - 1, 0) or 3}})
    if "person" in event:
        choices.append({**content, "event": {**event, "person": "nobody"}})
    if event["kind"] == "opened":
        level = "partial" if event["level"] == "full" else "full"
        choices.append({**content, "event": {**event, "level": level}})
    return dice.choice(choices)


# What attackers do. Each is given the lines as they are, and a place in them, counted from 0.


def edit(project: Project, before: Lines, place: int, dice: random.Random) -> None:
    """Change an entry, and perhaps its own digest."""
    changed = sealed(altered(content_of(before[place]), dice))
    if dice.random() < 0.5:
        changed = before[place][:64] + changed[64:]
    write_over(project, place + 1, changed)


def delete(project: Project, before: Lines, place: int, dice: random.Random) -> None:
    """Take an entry away, and perhaps close the gap in the numbers."""
    run("DELETE FROM store_ledgerline WHERE project_id = %s AND number = %s", project.pk, place + 1)
    if dice.random() < 0.5:
        for number in range(place + 2, len(before) + 1):
            run(
                "UPDATE store_ledgerline SET number = %s WHERE project_id = %s AND number = %s",
                number - 1,
                project.pk,
                number,
            )
        set_head(project, before[:-1])


def reorder(project: Project, before: Lines, place: int, dice: random.Random) -> None:
    """Let two entries change places."""
    other = dice.choice([each for each in range(len(before)) if each != place])
    write_over(project, place + 1, before[other])
    write_over(project, other + 1, before[place])


def cut(project: Project, before: Lines, place: int, dice: random.Random) -> None:
    """Cut the end off, and perhaps let the head fit."""
    run("DELETE FROM store_ledgerline WHERE project_id = %s AND number > %s", project.pk, place)
    if dice.random() < 0.8:
        set_head(project, before[:place])


def recompute(project: Project, before: Lines, place: int, dice: random.Random) -> None:
    """Change, take away, add or exchange entries, and write all later ones again."""
    entries = [content_of(line) for line in before]
    how = dice.choice(("change", "take away", "add", "exchange"))
    if how == "change":
        entries[place] = altered(entries[place], dice)
    elif how == "take away":
        del entries[place]
    elif how == "add":
        entries.insert(place, altered(entries[place], dice))
    else:
        other = dice.choice([each for each in range(len(before)) if each != place])
        entries[place], entries[other] = entries[other], entries[place]
    write_all(project, rechained(entries))


Attack = Callable[[Project, Lines, int, random.Random], None]
ATTACKS: dict[str, Attack] = {
    "edit": edit,
    "delete": delete,
    "reorder": reorder,
    "cut": cut,
    "recompute": recompute,
}


def forget_signed(project: Project) -> None:
    """Take all signed heads away."""
    run("DELETE FROM store_signedhead WHERE project_id = %s", project.pk)


def forge_signed(project: Project) -> None:
    """Put heads in their place that another key signed, and that fit the ledger as it is."""
    forget_signed(project)
    key, at = Ed25519PrivateKey.generate(), "2031-05-07T12:00:00.000000Z"
    now = list(lines(project))
    for entries in {len(now) // 2, len(now)} - {0}:
        head = Head(entries, now[entries - 1][:64])
        signature = sign(key, statement(str(project.pk), head, at))
        run(
            "INSERT INTO store_signedhead "
            "(project_id, entries, digest, at, occasion, key, signature) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s)",
            *(project.pk, head.entries, head.digest, NOON, "day", public_key(key), signature),
        )


def first_change(before: Lines, now: Lines) -> int:
    """Return the number of the first entry that is another, or is missing."""
    for number, (one, other) in enumerate(zip(before, now, strict=False), start=1):
        if one != other:
            return number
    return min(len(before), len(now)) + 1
