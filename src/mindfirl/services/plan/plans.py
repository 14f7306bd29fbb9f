"""The plan of a project: what a manager types is read, checked and saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final, cast

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors, SettingError
from mindfirl.core.ledger.project_events import PlanSaved
from mindfirl.core.policy import Actor, Role, check_may
from mindfirl.core.review.plan import Facts, PersonPlan, ReviewPlan, default_plan, wrong_fields
from mindfirl.core.risk.kapr import Step
from mindfirl.core.risk.percent import read_percent, write_percent
from mindfirl.core.values.schema import LEVELS, MASKED, Level, Schema
from mindfirl.store.changes import held_project
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Plan, PlannedPerson, Project
from mindfirl.store.queries.plans import facts_of, planned
from mindfirl.store.queries.projects import current_version
from mindfirl.workspace.commits import commit
from mindfirl.workspace.open_version import current_schema

TypedPlan = Mapping[str, Any]
"""The fields of a plan as they were typed; those that are left out are as in the default plan.

Numbers are digits or whole numbers, limits and budgets percentages, days in ISO form.
"""

_MOST_DIGITS: Final = 9


@dataclass(frozen=True, slots=True)
class PersonTyped:
    """A person of a plan as they were typed: the account's id, a share, a budget in percent."""

    account: str
    role: str = "worker"
    share: str | int = 100
    budget: str = ""


def default_plan_of(project: Project) -> ReviewPlan:
    return default_plan(_schema(project))


def plan_of(*, project: Project, actor: Actor) -> tuple[ReviewPlan, int]:
    """Return the plan of a project and its revision: the default plan and 0 before one is saved."""
    check_may(actor, "see plan")
    return planned(project) or (default_plan_of(project), 0)


def read_plan(*, project: Project, actor: Actor, changes: TypedPlan) -> ReviewPlan:
    check_may(actor, "see plan")
    reader = _Reader()
    plan = reader.plan(changes, default_plan_of(project))
    wrong = wrong_fields(plan, _facts(project)) | reader.wrong
    if wrong:
        raise FieldErrors(wrong)
    return plan


def typed_plan(plan: ReviewPlan) -> dict[str, Any]:
    """Return a plan as it would be typed, to be changed in part and saved again."""
    limit = plan.project_limit
    return {
        **{name: getattr(plan, name) for name in ReviewPlan.__dataclass_fields__},
        "most_pairs": "" if plan.most_pairs is None else plan.most_pairs,
        "project_limit": "" if limit is None else write_percent(limit),
        "starting": {step.attribute: step.level for step in plan.starting},
        "people": tuple(
            PersonTyped(each.account, each.role, each.share, write_percent(each.budget))
            for each in plan.people
        ),
    }


def save_plan(*, project: Project, actor: Actor, revision: int, changes: TypedPlan) -> ReviewPlan:
    """Save a plan, unless somebody else changed it since it was looked at."""
    check_may(actor, "plan")
    plan = read_plan(project=project, actor=actor, changes=changes)
    with commit(ledger=project):
        row = _locked_plan(project)
        if row.revision != revision:
            raise ChangedMeanwhile
        row.people.all().delete()
        PlannedPerson.objects.bulk_create(
            PlannedPerson(
                plan=row,
                account_id=person.account,
                role=person.role,
                share=person.share,
                budget=person.budget,
            )
            for person in plan.people
        )
        _save(row, plan, actor)
    return plan


def sample_quality(*, project: Project, actor: Actor, sample: int) -> None:
    """Set how many pairs of each automatic band go out, to measure the software."""
    check_may(actor, "plan")
    with commit(ledger=project):
        row = _locked_plan(project)
        plan = ReviewPlan.from_json(row.content)
        if plan.quality_sample != sample:
            _save(row, replace(plan, quality_sample=sample), actor)


def _locked_plan(project: Project) -> Plan:
    """Lock the project and return its plan; the default one where none was saved."""
    held_project(project)
    content = default_plan_of(project).to_json()
    row, _made = Plan.objects.get_or_create(project=project, defaults={"content": content})
    return row


def _save(row: Plan, plan: ReviewPlan, actor: Actor) -> None:
    row.content, row.revision = replace(plan, people=()).to_json(), row.revision + 1
    row.save(update_fields=["content", "revision"])
    told = PlanSaved(row.revision, digests_of(row.project).plan(row, row.people.all()))
    append(row.project, actor=actor.name, events=[told])


def _schema(project: Project) -> Schema | None:
    schema_file = current_schema(project)
    return schema_file.schema if schema_file else None


def _facts(project: Project) -> Facts:
    version, schema = current_version(project), _schema(project)
    if version is None or schema is None:
        raise SettingError("No databases yet. Import databases first.")
    return facts_of(project, records=version.records, attributes=schema.names)


_DEFAULTS: Final = ReviewPlan()


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads what was typed; a field that cannot be read gets a sentence and a sound value."""

    wrong: dict[str, str] = field(default_factory=dict)

    def plan(self, typed: TypedPlan, default: ReviewPlan) -> ReviewPlan:
        return replace(default, **{name: self.read(name, typed[name]) for name in typed})

    def read(self, name: str, typed: Any) -> Any:  # noqa: ANN401  # each field has its own type
        special = getattr(self, f"read_{name}", None)
        if special:
            return special(typed)
        # bool is a kind of int, so the type itself is asked for
        return self.whole(name, typed) if type(getattr(_DEFAULTS, name)) is int else typed

    def read_people(self, typed: Iterable[PersonTyped]) -> tuple[PersonPlan, ...]:
        return tuple(self.person(each) for each in typed)

    def read_project_limit(self, typed: str) -> int | None:
        return self.share("project_limit", typed) if typed else None

    def read_due(self, typed: str) -> str:
        return self.day("due", typed) if typed else ""

    def read_guidance(self, typed: str) -> str:
        return typed.replace("\r\n", "\n").strip()

    def read_most_pairs(self, typed: str | int) -> int | None:
        return None if typed == "" else self.whole("most_pairs", typed)

    def read_answer_sample(self, typed: str | int) -> int:
        return 0 if typed == "" else self.whole("answer_sample", typed)

    def read_gold_pairs(self, typed: str | int) -> int:
        return 0 if typed == "" else self.whole("gold_pairs", typed)

    def read_starting(self, typed: Mapping[str, str]) -> tuple[Step, ...]:
        return tuple(
            Step(name, cast("Level", level))
            for name, level in sorted(typed.items())
            if level != LEVELS[MASKED]
        )

    def person(self, typed: PersonTyped) -> PersonPlan:
        sound = PersonPlan(typed.account, cast("Role", typed.role), 1, 1)
        return replace(
            sound,
            share=self.whole(sound.field("share"), typed.share),
            budget=self.share(sound.field("budget"), typed.budget),
        )

    def whole(self, name: str, typed: str | int) -> int:
        if isinstance(typed, int):
            return typed
        text = typed.strip()
        if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS:
            return int(text)
        self.wrong[name] = "Enter a whole number, in digits."
        return 1

    def share(self, name: str, typed: str) -> int:
        share = read_percent(typed)
        if share is not None:
            return share
        self.wrong[name] = "Enter a percentage such as 2.5, with at most 7 decimals."
        return 1

    def day(self, name: str, typed: str) -> str:
        try:
            return date.fromisoformat(typed.strip()).isoformat()
        except ValueError:
            self.wrong[name] = "Enter the day as year-month-day, such as 2030-01-31."
            return ""
