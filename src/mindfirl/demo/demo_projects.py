"""The projects and accounts of a demonstration.

Everything is created through the services, so a demonstration shows only what people can do.
"""

from __future__ import annotations

import secrets
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
import pyarrow.csv
from django.utils import timezone

from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE, Role
from mindfirl.core.progress import Progress, no_progress
from mindfirl.demo import simulated_reviewers
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.extension import schema_for
from mindfirl.engine.schema.profile import profile_source
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.services import dispatch, labels, pairs, projects, report, resolve
from mindfirl.services.accounts import administration, sign_in
from mindfirl.services.data import importing
from mindfirl.services.link import link_records
from mindfirl.services.plan import forecasts, plans
from mindfirl.services.release import creation, handover, release_choices
from mindfirl.store.ledger.writer import clock_at
from mindfirl.store.models import Account, Assignment, Project
from mindfirl.store.queries.access import actor_for
from mindfirl.synthetic.linked_databases import everyday_databases
from mindfirl.workspace.open_pairs import open_pairs
from mindfirl.workspace.outcomes.standing import conflicts_in, standing_of

PEOPLE: Final[dict[str, str]] = {
    "administrator": "runs the server: accounts",
    "manager": "manages all projects",
    "worker": "reviews pairs, and is half through",
    "colleague": "reviews pairs, too",
    "adjudicator": "settles what reviews leave open",
    "auditor": "sees what is planned and was disclosed",
}

PERSONS: Final = {
    "pilot": 500,
    "registry-and-hospital": 1_900,
    "follow-up": 600,
    "second-wave": 800,
}
_FINISHED: Final = "pilot"
_REVIEWED: Final = "registry-and-hospital"
_CONFLICTS: Final = "follow-up"
_BEGUN: Final = "second-wave"
_BUDGETS: Final = {"worker": "6", "adjudicator": "50"}
_BAND: Final = Bands(-1.0, 8.0)
"""Of these pairs about half are of one person: the weights think too well of families."""
_SAMPLE: Final = 10
_GOLD: Final = 24
"""As many pairs check the reviewers of the finished project: an interval is told from 20 on."""
_TRUTH: Final = "truth.csv"
_ANSWERS: Final = "answers.csv"
_CONTRADICTIONS: Final = 3
"""The number that wait for the adjudicator; the manager accepts the others."""


def create_demo(progress: Progress) -> None:
    """Create accounts and projects: finished, half reviewed, with conflicts, and being set up."""
    people = {
        name: administration.add_account(
            actor=COMMAND_LINE,
            username=name,
            full_name=name.capitalize(),
            administrator=name == "administrator",
            creates_projects=name == "manager",
        )[0]
        for name in PEOPLE
    }
    now = datetime.now(UTC)
    simulated_reviewers.practise(people["colleague"], now=now)
    with tempfile.TemporaryDirectory() as folder:
        for name, persons in PERSONS.items():
            progress(f"making {name}", 0, 1)
            begun = simulated_reviewers.begin(now) - timedelta(hours=1)
            with clock_at(begun):
                project = _project(name, people["manager"])
                _import(project, Path(folder), persons)
                _date_back(project, begun)
                if name == _BEGUN:
                    continue
                _find_pairs(project)
                if name == _FINISHED:
                    _know_answers(project, people["manager"], Path(folder), begun)
                _plan(project, people)
                if name == _REVIEWED:
                    _forecast(project, people["manager"], Path(folder))
                _dispatch(project, people["manager"], now)
            known: dict[str, Any] = {
                "project": project,
                "now": now,
                "progress": progress,
            }
            if name == _REVIEWED:
                simulated_reviewers.review_pairs(**known, share=0.5)
            elif name == _CONFLICTS:
                _leave_conflicts(people["manager"], known)
            elif name == _FINISHED:
                _finish(people["manager"], known)


def _project(name: str, manager: Account) -> Project:
    project = projects.create_project(
        name=name, actor=actor_for(manager), account=manager, synthetic=True
    )
    return projects.change_project(
        project=project,
        actor=actor_for(manager, project),
        revision=project.revision,
        changes=projects.ProjectChanges(
            title=_TITLES[name],
            purpose=_PURPOSES[name],
            legal_basis="None is needed: nobody in it exists.",
            approval="DEMO-1",
            ends=(datetime.now(UTC) + timedelta(days=180)).date(),
        ),
    )


def _date_back(project: Project, at: datetime) -> None:
    """Let pages tell of the beginning as the ledger does: before pairs were given out."""
    Project.objects.filter(pk=project.pk).update(created=at)
    project.databases.update(imported=at)
    project.versions.update(created=at)
    project.refresh_from_db()


_PURPOSES: Final = {
    "pilot": "Finished: reviewed, settled, linked, released and reported.",
    "registry-and-hospital": "Under review: two workers are half through. Its plan has a forecast.",
    "follow-up": "Reviewed: conflicts and contradictions wait for the adjudicator.",
    "second-wave": "Just begun: the databases are imported, and pairs are to be found.",
}
_TITLES: Final = {
    "pilot": "Hospital × Cancer registry, pilot",
    "registry-and-hospital": "Hospital × Cancer registry",
    "follow-up": "Hospital × Cancer registry, follow-up",
    "second-wave": "Hospital × Cancer registry, second wave",
}


def _import(project: Project, folder: Path, persons: int) -> None:
    """Import two databases of made-up people, as they are proposed."""
    made = everyday_databases(persons, seed=persons)
    sources = {}
    for name in ("hospital", "registry"):
        path = folder / f"{name}.csv"
        pyarrow.csv.write_csv(getattr(made, name), path)
        sources[name] = open_table(str(path))
    schema, _ = schema_for(
        list(sources),
        [],
        lambda names: [each for name in names for each in profile_source(sources[name], name)],
        given=None,
        current=None,
        latest_year=datetime.now(UTC).year,
    )
    if project.name == _CONFLICTS:
        schema = replace(schema, without_duplicates=frozenset(sources))
    pyarrow.csv.write_csv(made.truth, folder / _TRUTH)
    importing.import_databases(project=project, sources=sources, schema=schema)


def _find_pairs(project: Project) -> None:
    pairs.find_pairs(
        project=project,
        blocked=pairs.plan_pairs(project=project),
        engine=DuckDBEngine(),
        seed=1,
        progress=no_progress,
    )
    pairs.set_bands(project=project, bands=_BAND)


def _know_answers(project: Project, manager: Account, folder: Path, at: datetime) -> None:
    """Let the answers to some pairs for people be known, to check reviewers by them.

    Imported answers have the time of the system, and nothing is entered in a ledger before them.
    """
    found = open_pairs(project)
    ids = [each for own in found.data.record_ids().ids.values() for each in own.to_pylist()]
    truth = pyarrow.csv.read_csv(folder / _TRUTH)
    same = set(zip(*(truth.column(side).to_pylist() for side in ("left", "right")), strict=True))
    chosen = np.flatnonzero(found.settlement.sent)[::2][:_GOLD]
    ends = (found.candidates.left[chosen], found.candidates.right[chosen])
    pairs_known = [(ids[left], ids[right]) for left, right in zip(*ends, strict=True)]
    answers = ["same" if pair in same else "different" for pair in pairs_known]
    table = {
        "left": [left for left, _ in pairs_known],
        "right": [right for _, right in pairs_known],
        "answer": answers,
    }
    pyarrow.csv.write_csv(pyarrow.table(table), folder / _ANSWERS)
    with patch.object(timezone, "now", return_value=at):
        labels.import_labels(
            project=project,
            actor=actor_for(manager, project),
            path=folder / _ANSWERS,
            source="Questions by telephone",
        )


def _plan(project: Project, people: dict[str, Account]) -> None:
    manager = people["manager"]
    roles: dict[str, Role] = {
        "worker": "worker",
        "colleague": "worker",
        "adjudicator": "adjudicator",
        "auditor": "auditor",
    }
    for name, role in roles.items():
        projects.add_member(
            project=project, actor=actor_for(manager, project), account=people[name], role=role
        )
    actor = actor_for(manager, project)
    _, revision = plans.plan_of(project=project, actor=actor)
    plans.save_plan(
        project=project,
        actor=actor,
        revision=revision,
        changes={
            "people": tuple(
                plans.PersonTyped(str(people[name].pk), role, 100, _BUDGETS[role])
                for name, role in roles.items()
                if role != "auditor"
            ),
            "quality_sample": _SAMPLE,
            "gold_pairs": _GOLD if project.name == _FINISHED else 0,
            "guidance": _GUIDANCE,
            **({"rule": "unanimous"} if project.name == _CONFLICTS else {}),
        },
    )


def _forecast(project: Project, manager: Account, folder: Path) -> None:
    """Work out what budgets buy: of made-up people it is known which pairs are one person."""
    actor = actor_for(manager, project)
    forecasts.make(project=project, actor=actor, account=manager, truth=folder / _TRUTH)


def _dispatch(project: Project, manager: Account, now: datetime) -> None:
    actor = actor_for(manager, project)
    proposed = dispatch.propose(project=project, actor=actor, account=manager)
    confirmed = dispatch.confirm(dispatch=proposed, actor=actor, account=manager)
    dispatch.dispatch_now(dispatch=confirmed, now=simulated_reviewers.begin(now))


_GUIDANCE: Final = (
    "Nicknames (Bill for William), other spellings (Clarke, Clark) and new surnames after a "
    "marriage are common here, and many people have moved: another street, town and telephone say "
    "little. "
    "Twins and fathers and sons of one name live at one address.\n\n"
    f"{_SAMPLE} pairs that look clear are mixed in, to check the software."
)


def _leave_conflicts(manager: Account, known: dict[str, Any]) -> None:
    """Have all pairs reviewed, and give the adjudicator the conflicts, which stay open."""
    project = known["project"]
    simulated_reviewers.review_pairs(**known)
    simulated_reviewers.submit_all(project=project, now=known["now"])
    _let_stand(project, manager, after=_CONTRADICTIONS)
    resolve.give_conflicts(project=project, actor=actor_for(manager, project), account=manager)


def _let_stand(project: Project, manager: Account, *, after: int) -> None:
    """Accept all contradictions but the first."""
    actor = actor_for(manager, project)
    found = conflicts_in(standing_of(project=project, actor=actor))
    between = [each.between for each in found if each.between]
    for each in between[after:]:
        resolve.accept(
            project=project,
            actor=actor,
            account=manager,
            between=each,
            reason="Both records are of one person, who is in the database twice.",
        )


def _finish(manager: Account, known: dict[str, Any]) -> None:
    """Take a project to its end: pairs reviewed, conflicts settled, linked, released, reported."""
    project, now = known["project"], known["now"]
    simulated_reviewers.review_pairs(**known)
    simulated_reviewers.submit_all(project=project, now=now)
    actor = actor_for(manager, project)
    resolve.give_conflicts(project=project, actor=actor, account=manager)
    simulated_reviewers.adjudicate(**known)
    _let_stand(project, manager, after=0)
    linkage = link_records(project=project, actor=actor, account=manager, unsettled=True)
    who: dict[str, Any] = {"project": project, "actor": actor, "account": manager}
    choices = release_choices.Choices(leave_out=("notes",))
    released = creation.make_release(**who, linkage=linkage, choices=choices)
    handover.take(release=released, actor=COMMAND_LINE, form="csv")
    fine = release_choices.Choices(coarsen={"birth_date": "year"}, leave_out=("notes",))
    creation.make_release(**who, linkage=linkage, choices=fine)
    report.make_report(**who)


def passwords_in(file: Path) -> dict[str, str]:
    """Read the passwords of a demonstration that is kept; make them, and write them, at first."""
    if not Assignment.objects.exists():
        raise SettingError(
            "This demonstration is incomplete. Remove its folder, and start mindfirl demo again."
        )
    if file.exists():
        lines = file.read_text(encoding="utf-8").splitlines()
        return dict(line.split(maxsplit=1) for line in lines if line.strip())
    made = _new_passwords()
    file.touch(mode=0o600)
    lines = [f"{name:15}{password}\n" for name, password in made.items()]
    file.write_text("".join(lines), encoding="utf-8")
    return made


def _new_passwords() -> dict[str, str]:
    known = {}
    for name in PEOPLE:
        known[name] = secrets.token_urlsafe(12)
        account = administration.account_named(name)
        token = administration.new_link(actor=COMMAND_LINE, account=account)
        sign_in.use_link(token=token, password=known[name])
    return known
