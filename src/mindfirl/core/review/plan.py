"""The plan of a review: its terms, which pairs go out, and to whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, Self, get_args

from mindfirl.core.errors import SettingError
from mindfirl.core.policy import Role, check_may_work_as
from mindfirl.core.review.terms import MOST_REVIEWS, Terms, wrong_terms
from mindfirl.core.risk.percent import WHOLE
from mindfirl.core.values.schema import Schema

Priority = Literal["worth", "uncertain", "stratified", "sample"]

MOST_SHARE: Final = 100
MOST_SAMPLED: Final = 100_000


@dataclass(frozen=True, slots=True)
class PersonPlan:
    """A worker or adjudicator in a plan: a share of the work, and a budget in 10⁻⁹."""

    account: str
    role: Role
    share: int
    budget: int

    def field(self, what: str) -> str:
        """Name a field of this person, such as their budget."""
        return f"{what}-{self.role}-{self.account}"


@dataclass(frozen=True, slots=True)
class ReviewPlan(Terms):
    """The terms of a review, with the pairs that go out and the people who get them.

    At most ``most_pairs`` go out, or all where it is None; ``quality_sample`` is the number of
    pairs of each automatic band that go out among them; ``due`` is a day in ISO form, or empty.
    """

    most_pairs: int | None = None
    priority: Priority = "worth"
    quality_sample: int = 0
    due: str = ""
    people: tuple[PersonPlan, ...] = ()

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return the plan that was stored; fields that were added later take their defaults."""
        people = tuple(PersonPlan(**person) for person in stored.get("people", ()))
        return super(ReviewPlan, cls).from_json({**stored, "people": people})

    @property
    def workers(self) -> tuple[PersonPlan, ...]:
        """The people who review pairs."""
        return tuple(person for person in self.people if person.role == "worker")

    @property
    def terms(self) -> Terms:
        """The terms alone."""
        return Terms(**{each.name: getattr(self, each.name) for each in fields(Terms)})


@dataclass(frozen=True, slots=True)
class Facts:
    """What a plan must fit: records, attributes, the roles of every active member, and days.

    ``ends`` is the last day of the project, or empty.
    """

    records: int
    attributes: tuple[str, ...]
    roles: Mapping[str, frozenset[Role]]
    managers_may_review: bool
    today: str
    ends: str


def default_plan(schema: Schema | None = None) -> ReviewPlan:
    """Return the plan to start from: dates and frequencies are shown as the schema says."""
    if schema is None:
        return ReviewPlan()
    shown = any(attribute.frequency for attribute in schema.attributes)
    return ReviewPlan(date_swaps=schema.settings.date_swap, frequency_bands=shown)


def wrong_fields(plan: ReviewPlan, facts: Facts) -> dict[str, str]:
    """Return a sentence for every field that is wrong; a plan without any can be dispatched."""
    return {
        **dict(wrong_terms(plan, records=facts.records, attributes=facts.attributes)),
        **dict(_wrong_pairs(plan, facts)),
        **dict(_wrong_people(plan, facts)),
    }


def _wrong_pairs(plan: ReviewPlan, facts: Facts) -> Iterator[tuple[str, str]]:
    if plan.most_pairs is not None and plan.most_pairs < 1:
        yield "most_pairs", "Give 1 pair or more, or leave it empty to give out all of them."
    if plan.priority not in get_args(Priority):
        yield "priority", f"Choose one of: {', '.join(get_args(Priority))}."
    if not 0 <= plan.quality_sample <= MOST_SAMPLED:
        yield "quality_sample", f"Give 0 to {MOST_SAMPLED:,} pairs of each automatic band."
    if plan.due and plan.due < facts.today:
        yield "due", "This day is over. Give today or a later day."
    elif plan.due and facts.ends and plan.due > facts.ends:
        yield "due", f"The project ends on {facts.ends}. Give that day or an earlier one."


def _wrong_people(plan: ReviewPlan, facts: Facts) -> Iterator[tuple[str, str]]:
    workers = len(plan.workers)
    if not workers:
        yield "people", "Choose at least one worker."
    if workers < plan.reviews <= MOST_REVIEWS:
        words = f"Each review of a pair is by another worker, and {workers} are chosen."
        yield "reviews", f"{words} Choose more workers, or fewer reviews."
    seen: set[str] = set()
    for person in plan.people:
        field = person.field("person")
        wrong = "They are chosen twice." if field in seen else _not_for(person, facts)
        if wrong:
            yield field, wrong
        seen.add(field)
        if not 1 <= person.share <= MOST_SHARE:
            yield person.field("share"), f"Give a share of 1 to {MOST_SHARE}."
        if not 1 <= person.budget <= WHOLE:
            yield person.field("budget"), "Give more than 0% and not more than 100%."


def _not_for(person: PersonPlan, facts: Facts) -> str:
    """Say why somebody cannot have their part in a plan, if so."""
    held = facts.roles.get(person.account, frozenset())
    try:
        check_may_work_as(person.role, held, managers_may_review=facts.managers_may_review)
    except SettingError as error:
        return str(error)
    return ""
