"""Plans: who reviews how many pairs, within which budgets, and what that would buy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final, cast

from django.db import transaction
from django.db.models import F

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors, SettingError
from mindfirl.core.policy import Actor, Role, check_may
from mindfirl.core.review.plan import (
    Facts,
    PersonPlan,
    Prices,
    Priority,
    ReviewPlan,
    Rule,
    usual_plan,
    wrong_fields,
)
from mindfirl.core.risk.percent import read_percent
from mindfirl.core.values.schema import LEVELS, MASKED, Accounting, DateSwap, Level, Schema
from mindfirl.engine.schema.schema_files import parse_schema
from mindfirl.store.changes import held_project
from mindfirl.store.models import Plan, PlannedPerson, Project
from mindfirl.store.queries.plans import facts_of, planned
from mindfirl.store.queries.projects import current_version

Typed = str | int
"""A number as somebody typed it, or as it is."""

_MOST_DIGITS: Final = 9


@dataclass(frozen=True, slots=True)
class PersonTyped:
    """A person of a plan as they were typed: the account's id, a share, a budget in percent."""

    account: str
    role: str = "worker"
    share: Typed = 100
    budget: str = ""


@dataclass(frozen=True, slots=True)
class PlanChanges:
    """A whole plan as it was typed; limits are in percent, a day in ISO form, empty for none."""

    people: tuple[PersonTyped, ...] = ()
    reviews: Typed = 2
    most_pairs: Typed = ""
    priority: str = "worth"
    quality_sample: Typed = 0
    kappa: Typed = 1
    accounting: str = "paper"
    date_swaps: str = "digits"
    prices: str = "exact"
    starting: Mapping[str, str] = field(default_factory=dict)
    frequency_bands: bool = False
    project_limit: str = ""
    rule: str = "unanimous"
    hints: bool = False
    guidance: str = ""
    due: str = ""


def plan_of(*, project: Project, actor: Actor) -> tuple[ReviewPlan, int]:
    """Return the plan of a project and its revision; before one is saved, what is usual, and 0."""
    check_may(actor, "see plan")
    return planned(project) or (usual_plan(_schema(project)), 0)


def read_plan(*, project: Project, actor: Actor, changes: PlanChanges) -> ReviewPlan:
    """Read a plan as it was typed; refuse it with a sentence for every field that is wrong."""
    check_may(actor, "see plan")
    reader = _Reader()
    plan = reader.plan(changes)
    wrong = wrong_fields(plan, _facts(project)) | reader.wrong
    if wrong:
        raise FieldErrors(wrong)
    return plan


def save_plan(*, project: Project, actor: Actor, revision: int, changes: PlanChanges) -> ReviewPlan:
    """Save a plan, unless somebody else changed it since it was looked at."""
    check_may(actor, "plan")
    plan = read_plan(project=project, actor=actor, changes=changes)
    columns = _columns(plan)
    with transaction.atomic():
        _begun(project)
        found = Plan.objects.filter(project=project)
        if not found.filter(revision=revision).update(revision=F("revision") + 1, **columns):
            raise ChangedMeanwhile
        row = found.get()
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
    return plan


def sample_quality(*, project: Project, actor: Actor, sample: int) -> None:
    """Say how many pairs of each automatic band go out, to measure the software."""
    check_may(actor, "plan")
    with transaction.atomic():
        _begun(project)
        changed = Plan.objects.filter(project=project).exclude(quality_sample=sample)
        changed.update(quality_sample=sample, revision=F("revision") + 1)


def _begun(project: Project) -> None:
    """Make sure that there is a plan: before anybody changed it, it is as usual."""
    held_project(project)
    usual = Plan(project=project, **_columns(usual_plan(_schema(project))))
    Plan.objects.bulk_create([usual], ignore_conflicts=True)


def _columns(plan: ReviewPlan) -> dict[str, Any]:
    """Return a plan as the columns of its table."""
    fields = [name for name in ReviewPlan.__dataclass_fields__ if name != "people"]
    return {name: getattr(plan, name) for name in fields} | {
        "starting": dict(plan.starting),
        "due": date.fromisoformat(plan.due) if plan.due else None,
    }


def _schema(project: Project) -> Schema | None:
    version = current_version(project)
    return parse_schema(version.schema, "the project's schema").schema if version else None


def _facts(project: Project) -> Facts:
    version, schema = current_version(project), _schema(project)
    if version is None or schema is None:
        raise SettingError("Nothing was imported yet. Import the databases first.")
    return facts_of(project, records=version.records, attributes=schema.names)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads what was typed; what cannot be read gets a sentence, and stands for something sound."""

    wrong: dict[str, str] = field(default_factory=dict)

    def plan(self, typed: PlanChanges) -> ReviewPlan:
        return ReviewPlan(
            reviews=self.whole("reviews", typed.reviews),
            most_pairs=(
                None if typed.most_pairs == "" else self.whole("most_pairs", typed.most_pairs)
            ),
            priority=cast("Priority", typed.priority),
            quality_sample=self.whole("quality_sample", typed.quality_sample),
            kappa=self.whole("kappa", typed.kappa),
            accounting=cast("Accounting", typed.accounting),
            date_swaps=cast("DateSwap", typed.date_swaps),
            prices=cast("Prices", typed.prices),
            starting=tuple(
                (name, cast("Level", level))
                for name, level in sorted(typed.starting.items())
                if level != LEVELS[MASKED]
            ),
            frequency_bands=typed.frequency_bands,
            project_limit=(
                self.share("project_limit", typed.project_limit) if typed.project_limit else None
            ),
            rule=cast("Rule", typed.rule),
            hints=typed.hints,
            guidance=typed.guidance.replace("\r\n", "\n").strip(),
            due=self.day("due", typed.due) if typed.due else "",
            people=tuple(self.person(each) for each in typed.people),
        )

    def person(self, typed: PersonTyped) -> PersonPlan:
        sound = PersonPlan(typed.account, cast("Role", typed.role), 1, 1)
        return replace(
            sound,
            share=self.whole(sound.field("share"), typed.share),
            budget=self.share(sound.field("budget"), typed.budget),
        )

    def whole(self, name: str, typed: Typed) -> int:
        if isinstance(typed, int):
            return typed
        text = typed.strip()
        if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS:
            return int(text)
        self.wrong[name] = "Give a whole number, in digits."
        return 1

    def share(self, name: str, typed: str) -> int:
        share = read_percent(typed)
        if share is not None:
            return share
        self.wrong[name] = "Give a percentage, such as 2.5, with 7 decimals at the most."
        return 1

    def day(self, name: str, typed: str) -> str:
        try:
            return date.fromisoformat(typed.strip()).isoformat()
        except ValueError:
            self.wrong[name] = "Give a day as year, month and day: 2030-01-31."
            return ""
