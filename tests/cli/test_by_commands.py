"""A project by commands alone, from nothing to a release; people review what commands assigned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from mindfirl.core.ledger.events import DispatchConfirmed, Dispatched
from mindfirl.core.ledger.project_events import DispatchProposed, MemberAdded, PlanSaved
from mindfirl.core.ledger.replay import read
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.services.dispatch.dispatches import confirm, dispatch_now
from mindfirl.services.plan.plans import typed_plan
from mindfirl.services.review.decisions import decide, submit
from mindfirl.services.review.disclosure.commenting import comment
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Account, Assignment, Dispatch, Job, Project
from mindfirl.store.queries.access import actor_for
from mindfirl.workspace.verification.ledger_verification import verify
from tests.cli.upkeep.test_user import done, run
from tests.support.projects import write_synthetic

PEOPLE = ("mia", "max", "ann", "ben", "judge", "dora")
ROLES = {
    "mia": "manager",
    "max": "manager",
    "ann": "worker",
    "ben": "worker",
    "judge": "adjudicator",
    "dora": "auditor",
}

REASON = "compared by what is shown"


@pytest.fixture(autouse=True)
def project(home: Path, tmp_path: Path) -> Project:
    """Make a project with people and pairs, by commands."""
    assert home.exists()
    write_synthetic(tmp_path / "made", 120)
    for name in PEOPLE:
        done("user", "add", name)
    done("project", "create", "study", "--synthetic")
    for name, role in ROLES.items():
        done("members", "add", "study", name, "--role", role)
    files = [str(tmp_path / "made" / f"{each}.csv") for each in ("hospital", "registry")]
    done("data", "import", "study", *files, "--yes")
    done("pairs", "upload", "study", str(tmp_path / "made" / "truth.csv"))
    return Project.objects.get()


def told(*words: str) -> Any:
    return json.loads(done(*words, "--json"))


def refused(*words: str) -> str:
    """Run a command that must end with a sentence and exit code 2."""
    result = run(*words)
    assert result.exit_code == 2, result.output
    return result.stderr


def plan(*words: str) -> str:
    return done("plan", "set", "study", "--as", "mia", *words)


def planned() -> None:
    plan("--worker", "ann=20", "--worker", "ben=20", "--adjudicator", "judge=30", "--pairs", "40")


def assigned() -> list[dict[str, Any]]:
    planned()
    done("dispatch", "propose", "study", "--as", "mia")
    done("dispatch", "confirm", "study", "--as", "mia")
    return list(told("assignments", "list", "study"))


def review(*, disagree_on: int = 0) -> None:
    """Decide all open assignments; the people of the first pairs disagree."""
    for assignment in Assignment.objects.filter(state="open").select_related("account"):
        pairs = assignment.pairs.order_by("left", "right")
        who: Any = {
            "account": assignment.account,
            "assignment": assignment,
            "now": timezone.now(),
        }
        for place, pair in enumerate(pairs):
            different = place < disagree_on and assignment.account.username == "ben"
            said = Decision("surely different" if different else "surely the same")
            decide(**who, token=pair.token, decision=said)
            comment(**who, token=pair.token, words=REASON)
        submit(**who)


def test_from_nothing_to_a_release(project: Project) -> None:
    assert {each["user"]: each["role"] for each in told("members", "list", "study")} == ROLES
    found = assigned()
    assert [each["pairs"] for each in found] == [40, 40]
    review(disagree_on=3)
    assert told("project", "status", "study")["decided"] == 80
    done("resolve", "assign", "study", "--as", "mia")
    review()
    done("link", "study")
    made = told("release", "create", "study", "--all")
    assert made["persons"] > 100
    assert told("project", "status", "study")["steps"]["releases"] == "done"
    assert verify(project).head.entries == len(list(lines(project)))


def test_the_ledger_tells_for_whom_a_command_acted(project: Project) -> None:
    assigned()
    mia = str(Account.objects.get(username="mia").pk)
    told_of: dict[type, set[tuple[str, str]]] = {}
    for entry in read(lines(project)):
        told_of.setdefault(type(entry.event), set()).add((entry.actor, entry.made_by))
    for event in (PlanSaved, DispatchProposed, DispatchConfirmed, Dispatched):
        assert told_of[event] == {(mia, "command")}
    assert told_of[MemberAdded] == {("command line", "command")}


def test_a_command_is_never_the_second_person(project: Project) -> None:
    done("project", "set", "study", "--as", "mia", "--second-person")
    planned()
    done("dispatch", "propose", "study", "--as", "mia")
    for user in ("mia", "max", "dora"):
        assert "in the browser" in refused("dispatch", "confirm", "study", "--as", user)
    assert not Assignment.objects.exists()
    other = Account.objects.get(username="max")
    actor = actor_for(other, project)
    confirmed = confirm(dispatch=Dispatch.objects.get(), actor=actor, account=other)
    assert dispatch_now(dispatch=confirmed)


def test_a_command_does_what_the_role_of_its_person_allows(project: Project) -> None:
    planned()
    for user in ("ann", "judge", "dora"):
        assert "does not allow" in refused("dispatch", "propose", "study", "--as", user)
        assert "does not allow" in refused("plan", "set", "study", "--as", user, "--reviews", "1")
    assert "no account" in refused("dispatch", "propose", "study", "--as", "nobody")
    done("user", "disable", "max")
    assert "disabled" in refused("dispatch", "propose", "study", "--as", "max")
    assert not project.dispatches.exists()


def test_assignments_change_by_command() -> None:
    first, second = assigned()
    number = first["assignment"][:8]
    done("assignments", "pause", "study", number, "--as", "mia")
    assert told("assignments", "list", "study")[0]["state"] == "paused"
    done("assignments", "resume", "study", number, "--as", "mia")
    day = timezone.localdate().replace(year=timezone.localdate().year + 1, day=1).isoformat()
    done("assignments", "due", "study", number, day, "--as", "mia")
    done("assignments", "budget", "study", number, "25", "--reason", "more", "--as", "mia")
    changed = told("assignments", "list", "study")[0]
    assert (changed["due"], changed["budget_percent"], changed["state"]) == (day, "25", "open")
    done("assignments", "end", "study", second["assignment"], "--reason", "ill", "--as", "mia")
    assert told("assignments", "list", "study")[1]["state"] == "ended"
    assert "Enter the day" in refused("assignments", "due", "study", number, "soon", "--as", "mia")
    assert "begins so" in refused("assignments", "pause", "study", "zzz", "--as", "mia")
    for wrong in ("carl", "=3", "carl="):
        words = ("--to", wrong, "--reason", "ill", "--as", "mia")
        assert "USER=PERCENT" in refused("assignments", "reassign", "study", number, *words)


def test_the_rest_of_an_assignment_goes_to_somebody_else() -> None:
    first, *_ = assigned()
    done("user", "add", "carl")
    done("members", "add", "study", "carl", "--role", "worker")
    words = ("--to", "carl=20", "--reason", "ill", "--as", "mia")
    said = done("assignments", "reassign", "study", first["assignment"], *words)
    assert "1 new assignments with 40 pairs" in said
    listed = told("assignments", "list", "study")
    assert [each["pairs"] for each in listed if each["user"] == "carl"] == [40]


def test_a_dispatch_is_shown_and_withdrawn(project: Project) -> None:
    assert "No dispatch is proposed" in refused("dispatch", "withdraw", "study", "--as", "mia")
    assert "No dispatches yet" in done("dispatch", "show", "study")
    planned()
    made = told("dispatch", "propose", "study", "--as", "mia")
    assert (made["pairs"], made["state"], made["proposed_by"]) == (40, "proposed", "mia")
    assert told("project", "status", "study")["dispatch_waiting"]
    done("dispatch", "withdraw", "study", "--as", "mia")
    assert [each["state"] for each in told("dispatch", "show", "study")] == ["withdrawn"]
    assert not project.assignments.exists()


def test_a_plan_keeps_what_is_not_given(project: Project) -> None:
    planned()
    before = told("plan", "show", "study")
    plan("--guidance", "Twins are two people.", "--prices", "banded")
    after = told("plan", "show", "study")
    changed = {field for field in before if before[field] != after[field]}
    assert changed == {"guidance", "prices", "revision"}
    plan("--pairs", "0")
    assert told("plan", "show", "study")["most_pairs"] is None
    for wrong in (("--worker", "ann"), ("--worker", "ann=200"), ("--due", "soon")):
        refused("plan", "set", "study", "--as", "mia", *wrong)
    assert told("plan", "show", "study")["revision"] == after["revision"] + 1
    assert project.plan.revision == after["revision"] + 1


def test_every_field_of_a_plan_can_be_typed_again() -> None:
    assert set(typed_plan(ReviewPlan())) == set(ReviewPlan.__dataclass_fields__)


def test_settings_of_a_project_change_by_command(project: Project) -> None:
    words = ("--purpose", "A yearly report.", "--ends", "2090-12-31", "--pass-mark", "9")
    done("project", "set", "study", "--as", "mia", *words)
    project.refresh_from_db()
    assert (project.purpose, str(project.ends), project.pass_mark) == (
        *("A yearly report.", "2090-12-31"),
        9,
    )
    done("project", "set", "study", "--as", "mia", "--ends", "")
    project.refresh_from_db()
    assert (project.ends, project.pass_mark) == (None, 9)
    assert "year-month-day" in refused("project", "set", "study", "--as", "mia", "--ends", "soon")


def test_members_are_added_and_removed_once() -> None:
    assert "already" in refused("members", "add", "study", "ann", "--role", "worker")
    done("members", "remove", "study", "ann", "--role", "worker")
    assert "is not worker" in refused("members", "remove", "study", "ann", "--role", "worker")
    assert "only manager" not in done("members", "remove", "study", "max", "--role", "manager")
    assert "only manager" in refused("members", "remove", "study", "mia", "--role", "manager")


def test_work_is_listed_waited_for_and_cancelled(project: Project) -> None:
    assert "No work" in refused("jobs", "wait", "study")
    assert "No work" in refused("jobs", "cancel", "study")
    Job.objects.create(project=project, kind="link", by=Account.objects.get(username="mia"))
    done("jobs", "cancel", "study")
    assert [each["state"] for each in told("jobs", "list", "study")] == ["cancelled"]
    assert "cancelled" in refused("jobs", "wait", "study")
    Job.objects.create(project=project, kind="link", state="done")
    assert "done" in done("jobs", "wait", "study")


def test_contradictions_are_listed_by_number() -> None:
    assigned()
    assert told("resolve", "contradictions", "study") == []
    words = ("--reason", "a known mistake", "--as", "mia")
    assert "0 open contradictions" in refused("resolve", "accept", "study", "1", *words)
