"""The terms of a review (how pairs are shown, priced, limited, resolved), and its plan.

Terms are one value with one JSON form. A plan adds which pairs go out, and to whom; every
assignment and its entry in the ledger hold the terms as they were on the day it was given out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, Self, get_args

from mindfirl.core.errors import SettingError
from mindfirl.core.policy import Role, check_may_work_as
from mindfirl.core.risk.kapr import Step
from mindfirl.core.risk.percent import WHOLE
from mindfirl.core.values.schema import (
    ACCOUNTINGS,
    DATE_SWAPS,
    LEVELS,
    Accounting,
    DateSwap,
    Schema,
)

Prices = Literal["exact", "banded"]
PublishedRule = Literal["unanimous", "majority", "confidence"]
"""Rules by which votes alone settle a pair."""
Rule = Literal["evidence", "unanimous", "majority", "confidence"]
"""How votes are resolved: added to the match weight as evidence, or by a published rule."""

MOST_REVIEWS: Final = 5
LONGEST_GUIDANCE: Final = 4_000

CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "accounting": ACCOUNTINGS,
    "date_swaps": DATE_SWAPS,
    "prices": get_args(Prices),
    "rule": get_args(Rule),
}
"""The words that the terms of a fixed choice can be."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a review; ``starting`` has levels above masked, ``project_limit`` 10⁻⁹.

    ``gold_pairs`` is how many pairs with a known answer are mixed in to check reviewers.
    """

    reviews: int = 2
    kappa: int = 1
    accounting: Accounting = "paper"
    date_swaps: DateSwap = "digits"
    prices: Prices = "exact"
    starting: tuple[Step, ...] = ()
    frequency_bands: bool = False
    project_limit: int | None = None
    rule: Rule = "evidence"
    hints: bool = False
    gold_pairs: int = 0
    guidance: str = ""

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return the terms that were stored; fields that were added later take their defaults."""
        names = (each.name for each in fields(cls))
        known = {name: stored[name] for name in names if name in stored}
        if "starting" in known:
            known["starting"] = tuple(Step(*each) for each in known["starting"])
        return cls(**known)

    def to_json(self) -> dict[str, Any]:
        """Return the terms as plain values."""
        return asdict(self)

    def displayed(self, schema: Schema) -> Schema:
        """Return a schema as these terms display its attributes."""
        return schema.displayed(date_swap=self.date_swaps, frequency=self.frequency_bands)


def wrong_terms(
    terms: Terms, *, records: int, attributes: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Name each field that is wrong for a project's records and attributes, and say why."""
    if not 1 <= terms.reviews <= MOST_REVIEWS:
        yield "reviews", f"Enter 1 to {MOST_REVIEWS} reviews of each pair."
    if terms.kappa < 1:
        yield "kappa", "Enter 1 or more."
    elif terms.kappa > records:
        words = f"The project has only {records:,} records."
        yield "kappa", f"{words} Enter a smaller κ."
    for field, allowed in CHOICES.items():
        if getattr(terms, field) not in allowed:
            yield field, f"Choose one of: {', '.join(allowed)}."
    if terms.project_limit is not None and not 1 <= terms.project_limit <= WHOLE:
        yield "project_limit", "Enter more than 0% and at most 100%, or leave it empty."
    yield from _wrong_starting(terms, attributes)
    if len(terms.guidance) > LONGEST_GUIDANCE:
        words = f"The guidance has {len(terms.guidance):,} characters."
        yield "guidance", f"{words} Shorten it to {LONGEST_GUIDANCE:,}."
    elif "\0" in terms.guidance:
        yield "guidance", "The guidance contains a character that cannot be stored. Type it again."


def _wrong_starting(terms: Terms, attributes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name, level in terms.starting:
        if name not in attributes:
            yield "starting", "A starting level is set for an attribute that does not exist."
        elif level not in LEVELS:
            yield starting_field(attributes, name), f"Choose one of: {', '.join(LEVELS)}."


def starting_field(attributes: tuple[str, ...], name: str) -> str:
    """Name the field of an attribute's starting level by position: its name may be anything."""
    return f"starting-{attributes.index(name)}"


Priority = Literal["worth", "uncertain", "stratified", "sample"]

MOST_SHARE: Final = 100
MOST_SAMPLED: Final = 100_000
MOST_GOLD: Final = 1_000


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
    pairs of each automatic band that go out among them, ``answer_sample`` that of pairs with an
    answer from elsewhere; ``due`` is a day in ISO form, or empty.
    """

    most_pairs: int | None = None
    priority: Priority = "worth"
    quality_sample: int = 0
    answer_sample: int = 0
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
    """What a plan must fit: records, attributes, roles of active members, today, the last day."""

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
        yield "most_pairs", "Enter 1 pair or more, or leave it empty to assign all pairs."
    if plan.priority not in get_args(Priority):
        yield "priority", f"Choose one of: {', '.join(get_args(Priority))}."
    if not 0 <= plan.quality_sample <= MOST_SAMPLED:
        yield "quality_sample", f"Enter 0 to {MOST_SAMPLED:,} pairs of each automatic band."
    if not 0 <= plan.answer_sample <= MOST_SAMPLED:
        yield "answer_sample", f"Enter 0 to {MOST_SAMPLED:,} pairs with an answer from elsewhere."
    if not 0 <= plan.gold_pairs <= MOST_GOLD:
        yield "gold_pairs", f"Enter 0 to {MOST_GOLD:,} pairs to check reviewers."
    if plan.due and plan.due < facts.today:
        yield "due", "This day is in the past. Enter today or a later day."
    elif plan.due and facts.ends and plan.due > facts.ends:
        yield "due", f"The project ends on {facts.ends}. Enter that day or an earlier one."


def _wrong_people(plan: ReviewPlan, facts: Facts) -> Iterator[tuple[str, str]]:
    workers = len(plan.workers)
    if not workers:
        yield "people", "Choose at least one worker."
    if workers < plan.reviews <= MOST_REVIEWS:
        words = f"Each review of a pair needs a different worker, and {workers} are chosen."
        yield "reviews", f"{words} Choose more workers, or fewer reviews."
    seen: set[str] = set()
    for person in plan.people:
        field = person.field("person")
        wrong = "This person is chosen twice." if field in seen else _not_for(person, facts)
        if wrong:
            yield field, wrong
        seen.add(field)
        if not 1 <= person.share <= MOST_SHARE:
            yield person.field("share"), f"Enter a share of 1 to {MOST_SHARE}."
        if not 1 <= person.budget <= WHOLE:
            yield person.field("budget"), "Enter more than 0% and at most 100%."


def _not_for(person: PersonPlan, facts: Facts) -> str:
    held = facts.roles.get(person.account, frozenset())
    try:
        check_may_work_as(person.role, held, managers_may_review=facts.managers_may_review)
    except SettingError as error:
        return str(error)
    return ""
