"""A project whose pairs are decided by the truth and whose records are linked, ready to leave.

Every record has a sensitive value of its own, by which it is known in what leaves.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
from django.utils import timezone

from mindfirl.core.policy import COMMAND_LINE, Actor
from mindfirl.core.progress import no_progress
from mindfirl.core.review.decisions import Decision, Verdict
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.separate import RECORD
from mindfirl.services.data.importing import import_databases
from mindfirl.services.dispatch.dispatches import confirm, dispatch_now, propose
from mindfirl.services.link import link_records
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.services.plan.plans import PersonTyped, plan_of, save_plan
from mindfirl.services.projects import add_member, create_project
from mindfirl.services.release import creation, handover, release_choices, release_states
from mindfirl.services.review.decisions import decide, submit
from mindfirl.store import vault
from mindfirl.store.models import Account, Assignment, Linkage, Project, Release
from mindfirl.store.queries.access import actor_for
from mindfirl.synthetic.linked_databases import Databases, databases
from tests.support.people import signed_up
from tests.support.snapshots import snapshot

SCHEMA = """
record_id = { hospital = "patient_id", registry = "record_no" }
without_duplicates = ["hospital", "registry"]

[[attribute]]
name = "first"
kind = "string"
column = { hospital = "first_name", registry = "given_name" }

[[attribute]]
name = "last"
kind = "string"
column = { hospital = "last_name", registry = "surname" }

[[attribute]]
name = "born"
kind = "date"
role = "quasi-identifier"
column = { hospital = "birth_date", registry = "dob" }
date_order = { hospital = "mdy", registry = "ymd" }

[[attribute]]
name = "number"
kind = "fixed"
column = { hospital = "ssn", registry = "social_security" }

[[attribute]]
name = "zip"
kind = "fixed"
role = "quasi-identifier"
column = { hospital = "zip", registry = "postcode" }

[[attribute]]
name = "sex"
kind = "category"
role = "quasi-identifier"
column = { hospital = "sex", registry = "gender" }

[[sensitive]]
name = "diagnosis"
column = { hospital = "diagnosis" }

[[sensitive]]
name = "notes"
column = { hospital = "notes" }

[[sensitive]]
name = "site"
column = { registry = "site" }

[[sensitive]]
name = "own"
column = "own"
"""
HARMLESS = "Follow-up in six weeks."
AUTOMATIC = 20
BANDS = Bands(-5, 5)
MISSED = 10
"""Every this many-th pair of the truth that people get is decided wrongly."""


@dataclass(frozen=True)
class Linked:
    """A project with a linkage; what its records hold, and what was decided about them."""

    project: Project
    manager: Account
    linkage: Linkage
    made: Databases
    links: list[tuple[str, str]]
    decided: dict[tuple[str, str], bool]

    @property
    def actor(self) -> Actor:
        return actor_for(self.manager, self.project)

    def release(self, **choices: Any) -> Release:
        """Make a release; what its check finds blocks it, but for the values of their own."""
        made = self.unsettled_release(**choices)
        if not release_states.barriers(made.report, release_choices.kept_choices(made.choices)):
            for each in made.report["findings"]:
                if each["column"] == "own" and made.state == "blocked":
                    release_states.settle_finding(
                        release=made,
                        actor=self.actor,
                        account=self.manager,
                        column="own",
                        kind=each["kind"],
                        reason="Made up so that tests know each record.",
                    )
        return Release.objects.get(pk=made.pk)

    def unsettled_release(self, **choices: Any) -> Release:
        """Make a release; whatever its check finds blocks it."""
        made = creation.make_release(
            project=self.project,
            actor=self.actor,
            account=self.manager,
            linkage=self.linkage,
            choices=release_choices.Choices(**choices),
        )
        return Release.objects.get(pk=made.pk)

    def records(self) -> dict[str, dict[str, Any]]:
        """Return all records by their ids, each with its database."""
        return {
            row[names[0]]: {"database": database, **row}
            for database, table in self.tables.items()
            for names in [table.column_names]
            for row in table.to_pylist()
        }

    @property
    def tables(self) -> dict[str, pa.Table]:
        return {"hospital": self.made.hospital, "registry": self.made.registry}


def own_value(record: str) -> str:
    """Return what is sensitive of one record alone: letters from which its id cannot be read."""
    digits = str(int(record[1:]) * 7_919 + 104_729)
    return record[0].upper() + "".join("qwzxkvjyfb"[int(digit)] for digit in digits)


@cache
def synthetic(people: int, *, seed: int = 4, leaks: bool = False) -> Databases:
    """Write people down in two databases; unless leaks are asked for, notes name nobody."""
    made = databases(people, seed=seed)
    hospital, registry = (
        table.append_column("own", pa.array([own_value(each) for each in table[0].to_pylist()]))
        for table in (made.hospital, made.registry)
    )
    if not leaks:
        notes = pa.array([HARMLESS] * hospital.num_rows)
        place = hospital.column_names.index("notes")
        hospital = hospital.set_column(place, "notes", notes)
    return Databases(hospital, registry, made.truth)


@snapshot
def make_linked(
    folder: Path, made: Databases, *, automatic: float = 1 / 3, unsure: Decision | None = None
) -> Linked:
    """Import the databases; a share of the truth is linked automatically, people get the rest.

    Of the last of these pairs they may be unsure.
    """
    manager = signed_up("manager")
    project = create_project(name="study", actor=COMMAND_LINE, account=manager, synthetic=True)
    _imported(project, folder, made)
    true = [(row["left"], row["right"]) for row in made.truth.to_pylist()]
    known = round(len(true) * automatic)
    links, asked = true[:known], true[known:]
    false = [(one[0], other[1]) for one, other in pairwise(asked)]
    decided = {pair: bool(place % MISSED) for place, pair in enumerate(asked)}
    decided |= dict.fromkeys(false, False)
    _weighed(project, folder, dict.fromkeys(links, AUTOMATIC) | dict.fromkeys(decided, 0))
    if decided:
        said = {pair: _verdict(same) for pair, same in decided.items()}
        _reviewed(project, manager, said | ({list(said)[-1]: unsure} if unsure else {}))
    return Linked(project, manager, _linkage(project, manager), made, links, decided)


def import_again(linked: Linked, folder: Path, made: Databases) -> Linked:
    """Import other databases into the same project; what is true of them is linked."""
    _imported(linked.project, folder, made)
    links = [(row["left"], row["right"]) for row in made.truth.to_pylist()]
    _weighed(linked.project, folder, dict.fromkeys(links, AUTOMATIC))
    linkage = _linkage(linked.project, linked.manager)
    return Linked(linked.project, linked.manager, linkage, made, links, {})


def _linkage(project: Project, manager: Account) -> Linkage:
    actor = actor_for(manager, project)
    return link_records(project=project, actor=actor, account=manager, unsettled=True)


def opened(handed: handover.Handed) -> pa.Table:
    """Open a file that was handed over as Parquet."""
    return pa.parquet.read_table(BytesIO(handed.content.getvalue()))


def rows_of(release: Release) -> list[dict[str, Any]]:
    """Return the rows of a release, whatever state it is in."""
    assert release.data
    found: list[dict[str, Any]] = vault.unseal(release.data).to_pylist()
    return found


def _imported(project: Project, folder: Path, made: Databases) -> None:
    sources = {}
    for database, table in (("hospital", made.hospital), ("registry", made.registry)):
        path = folder / f"{database}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(table.column_names)
            rows.writerows(row.values() for row in table.to_pylist())
        sources[database] = open_table(str(path))
    import_databases(project=project, sources=sources, schema=parse_schema(SCHEMA, "schema.toml"))


def _weighed(project: Project, folder: Path, weights: dict[tuple[str, str], int]) -> None:
    path = folder / "weighed.csv"
    lines = [f"{left},{right},{weight}" for (left, right), weight in weights.items()]
    path.write_text("\n".join(["left,right,weight", *lines]) + "\n", encoding="utf-8")
    bring_pairs(project=project, path=path, mode=None, progress=no_progress)
    set_bands(project=project, bands=BANDS)


def _reviewed(project: Project, manager: Account, said: dict[tuple[str, str], Decision]) -> None:
    """Let one worker decide all pairs for people, and hand them in."""
    worker = Account.objects.create(username="worker")
    add_member(project=project, actor=COMMAND_LINE, account=worker, role="worker")
    _, revision = plan_of(project=project, actor=COMMAND_LINE)
    people = (PersonTyped(str(worker.pk), budget="50"),)
    save_plan(
        project=project,
        actor=COMMAND_LINE,
        revision=revision,
        changes={"people": people, "reviews": 1},
    )
    proposed = propose(project=project, actor=COMMAND_LINE, account=manager)
    dispatch_now(dispatch=confirm(dispatch=proposed, actor=COMMAND_LINE, account=manager))
    mine, ids = Assignment.objects.get(project=project), ids_of(project)
    for pair in mine.pairs.all():
        decide(
            account=worker,
            assignment=mine,
            token=pair.token,
            decision=said[ids[pair.left], ids[pair.right]],
            now=timezone.now(),
        )
    submit(account=worker, assignment=mine, now=timezone.now())


def ids_of(project: Project) -> list[str]:
    """Return the ids of all records, by position."""
    return [
        name
        for member in project.versions.latest("number").members.all()
        for name in vault.unseal(member.database.identity, [RECORD]).column(RECORD).to_pylist()
    ]


def _verdict(same: bool) -> Decision:  # noqa: FBT001  # a verdict is yes or no
    verdict: Verdict = "surely the same" if same else "surely different"
    return Decision(verdict)
