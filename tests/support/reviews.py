"""A project that is ready to be reviewed: two databases, scored pairs, and people with roles."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mindfirl.core.policy import COMMAND_LINE, Actor, Role
from mindfirl.core.progress import no_progress
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.services.data.importing import import_databases
from mindfirl.services.dispatch.dispatches import confirm, dispatch_now, propose
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.services.plan.plans import PersonTyped, plan_of, save_plan
from mindfirl.services.projects import add_member, create_project
from mindfirl.store.models import Account, Assignment, Dispatch, Project, Version
from mindfirl.store.queries.access import actor_for
from tests.support.snapshots import snapshot

SCHEMA = """
record_id = "id"
date_order = "ymd"
swap_groups = [["first", "last"]]

[[attribute]]
name = "first"
kind = "string"

[[attribute]]
name = "last"
kind = "string"

[[attribute]]
name = "born"
kind = "date"

[[attribute]]
name = "sex"
kind = "category"
"""
ATTRIBUTES = ("first", "last", "born", "sex")
NAMES = ("Ann", "Anna", "Bob", "Bobby", "Eve", "Eva", "Kim", "Lee", "Mary", "Mark", "Zoe")
PRIVATE_NAMES = tuple("".join(chr(0xE000 + ord(each)) for each in name) for name in NAMES)
"""The same in private-use characters, which no page holds by itself."""
BANDS = Bands(-5, 5)


@dataclass(frozen=True)
class Study:
    """A project and its people."""

    project: Project
    folder: Path
    manager: Account
    auditor: Account
    workers: tuple[Account, ...]

    @property
    def actor(self) -> Actor:
        return actor_for(self.manager, self.project)

    def plan(self, *, budget: str = "50", **changes: Any) -> None:
        """Save a plan for all workers."""
        people = tuple(PersonTyped(str(worker.pk), budget=budget) for worker in self.workers)
        _, revision = plan_of(project=self.project, actor=self.actor)
        typed = {"people": people, **changes}
        save_plan(project=self.project, actor=self.actor, revision=revision, changes=typed)

    def proposed(self) -> Dispatch:
        return propose(project=self.project, actor=self.actor, account=self.manager)

    def confirmed(self) -> Dispatch:
        return confirm(dispatch=self.proposed(), actor=self.actor, account=self.manager)

    def dispatched(self) -> list[Assignment]:
        return dispatch_now(dispatch=self.confirmed())


def account(name: str, *, project: Project | None = None, role: Role | None = None) -> Account:
    """Make an account that may have a role."""
    made = Account.objects.create(username=name)
    if project is not None and role is not None:
        add_member(project=project, actor=COMMAND_LINE, account=made, role=role)
    return made


@snapshot
def make_study(
    folder: Path,
    *,
    people: int = 60,
    pairs: int = 200,
    workers: int = 3,
    names: Sequence[str] = NAMES,
) -> Study:
    """Make a project with this number of records in each of two databases, and scored pairs."""
    manager = account("manager")
    project = create_project(name="study", actor=COMMAND_LINE, account=manager, synthetic=True)
    import_again(project, folder, people=people, names=names)
    bring(project, folder, people=people, pairs=pairs)
    return Study(
        project,
        folder,
        manager,
        account("auditor", project=project, role="auditor"),
        tuple(
            account(f"worker{number}", project=project, role="worker") for number in range(workers)
        ),
    )


@snapshot
def make_given(
    folder: Path,
    *,
    people: int = 60,
    pairs: int = 200,
    workers: int = 3,
    names: Sequence[str] = NAMES,
    **plan: Any,
) -> Study:
    """Make such a project, plan its review, and give its pairs out."""
    study = make_study(folder, people=people, pairs=pairs, workers=workers, names=names)
    study.plan(**plan)
    study.dispatched()
    return study


def import_again(
    project: Project, folder: Path, *, people: int = 60, names: Sequence[str] = NAMES
) -> Version:
    """Import two databases of the same people; the second writes some of them otherwise."""
    dice = random.Random(5)
    rows = [
        (
            dice.choice(names),
            dice.choice(names),
            f"19{dice.randrange(40, 60)}-0{dice.randrange(1, 10)}-1{dice.randrange(10)}",
            dice.choice("FM"),
        )
        for _ in range(people)
    ]
    sources = {}
    for place, database in enumerate(("clinic", "register")):
        lines = ["id,first,last,born,sex"]
        for number, (first, last, born, sex) in enumerate(rows):
            both = (last, first) if place and number % 5 == 0 else (first, last)
            day = born if not place or number % 3 else f"{born[:-1]}0"
            lines.append(f"{database[0]}{number},{','.join(both)},{day},{sex}")
        path = folder / f"{database}.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        sources[database] = open_table(str(path))
    schema = parse_schema(SCHEMA, "schema.toml")
    return import_databases(project=project, sources=sources, schema=schema)


def bring(project: Project, folder: Path, *, people: int = 60, pairs: int = 200) -> None:
    """Bring scored pairs: a tenth is linked, a tenth is not, and people get the rest."""
    dice = random.Random(6)
    lines = ["left,right,weight"]
    for number, drawn in enumerate(dice.sample(range(people**2), pairs)):
        left, right = divmod(drawn, people)
        weight = {0: 20, 1: -20}.get(number % 10, dice.uniform(-4, 4))
        lines.append(f"c{left},r{right},{weight}")
    path = folder / "pairs.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    bring_pairs(project=project, path=path, mode=None, progress=no_progress)
    set_bands(project=project, bands=BANDS)
