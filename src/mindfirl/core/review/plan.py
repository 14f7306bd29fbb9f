"""How the pairs of a project are to be reviewed, and what is wrong with a plan, field by field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, get_args

from mindfirl.core.policy import REVIEWERS, Role
from mindfirl.core.risk.percent import WHOLE
from mindfirl.core.values.schema import (
    ACCOUNTINGS,
    DATE_SWAPS,
    LEVELS,
    Accounting,
    DateSwap,
    Level,
    Schema,
)

Priority = Literal["worth", "uncertain", "stratified", "sample"]
Prices = Literal["exact", "banded"]
Rule = Literal["unanimous", "majority", "confidence"]

MOST_REVIEWS: Final = 5
MOST_SHARE: Final = 100
MOST_SAMPLED: Final = 100_000
LONGEST_GUIDANCE: Final = 4_000

CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "priority": get_args(Priority),
    "accounting": ACCOUNTINGS,
    "date_swaps": DATE_SWAPS,
    "prices": get_args(Prices),
    "rule": get_args(Rule),
}
"""The words that the fields of a plan can be."""


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
class ReviewPlan:
    """All that a manager says about a review; budgets and limits are in 10⁻⁹, days in ISO form."""

    reviews: int = 2
    most_pairs: int | None = None
    priority: Priority = "worth"
    quality_sample: int = 0
    kappa: int = 1
    accounting: Accounting = "paper"
    date_swaps: DateSwap = "digits"
    prices: Prices = "exact"
    starting: tuple[tuple[str, Level], ...] = ()
    frequency_bands: bool = False
    project_limit: int | None = None
    rule: Rule = "unanimous"
    hints: bool = False
    guidance: str = ""
    due: str = ""
    people: tuple[PersonPlan, ...] = ()

    @property
    def workers(self) -> tuple[PersonPlan, ...]:
        """Those who review pairs."""
        return tuple(person for person in self.people if person.role == "worker")


@dataclass(frozen=True, slots=True)
class Facts:
    """What a plan must fit: the records, the attributes, who may do what, and the days.

    ``roles`` are those of every active member; ``ends`` is the last day of the project, or nothing.
    """

    records: int
    attributes: tuple[str, ...]
    roles: Mapping[str, frozenset[Role]]
    managers_may_review: bool
    today: str
    ends: str


def usual_plan(schema: Schema | None = None) -> ReviewPlan:
    """Return the plan to begin with: dates and frequencies are shown as the schema says."""
    if schema is None:
        return ReviewPlan()
    shown = any(attribute.frequency for attribute in schema.attributes)
    return ReviewPlan(date_swaps=schema.settings.date_swap, frequency_bands=shown)


def to_json(plan: ReviewPlan) -> dict[str, Any]:
    """Return a plan as plain values, to be kept."""
    return asdict(plan)


def from_json(kept: Mapping[str, Any]) -> ReviewPlan:
    """Return the plan that was kept; what nobody could say at that time is as usual."""
    starting = tuple((name, level) for name, level in kept["starting"])
    people = tuple(PersonPlan(**person) for person in kept["people"])
    return ReviewPlan(**{**kept, "starting": starting, "people": people})


def wrong_fields(plan: ReviewPlan, facts: Facts) -> dict[str, str]:
    """Return a sentence for every field that is wrong; a plan without any can be dispatched."""
    return {field: words for check in _CHECKS for field, words in check(plan, facts)}


def _wrong_numbers(plan: ReviewPlan, facts: Facts) -> Iterator[tuple[str, str]]:
    workers = len(plan.workers)
    if not 1 <= plan.reviews <= MOST_REVIEWS:
        yield "reviews", f"Give 1 to {MOST_REVIEWS} reviews of each pair."
    elif plan.reviews > workers:
        words = f"Each review of a pair is by another worker, and {workers} are chosen."
        yield "reviews", f"{words} Choose more workers, or fewer reviews."
    if plan.most_pairs is not None and plan.most_pairs < 1:
        yield "most_pairs", "Give 1 pair or more, or leave it empty to give out all of them."
    if not 0 <= plan.quality_sample <= MOST_SAMPLED:
        yield "quality_sample", f"Give 0 to {MOST_SAMPLED:,} pairs of each automatic band."
    if plan.project_limit is not None and not 1 <= plan.project_limit <= WHOLE:
        yield "project_limit", "Give more than 0% and not more than 100%, or leave it empty."
    if plan.kappa < 1:
        yield "kappa", "Give 1 or more: the smallest number of people that a row may leave."
    elif plan.kappa > facts.records:
        words = f"The project has {facts.records:,} records, and nobody can be one of more."
        yield "kappa", f"{words} It cannot be dispatched with this κ: give a smaller one."


def _wrong_words(plan: ReviewPlan, facts: Facts) -> Iterator[tuple[str, str]]:
    for field, allowed in CHOICES.items():
        if getattr(plan, field) not in allowed:
            yield field, f"Choose one of: {', '.join(allowed)}."
    if len(plan.guidance) > LONGEST_GUIDANCE:
        words = f"The guidance has {len(plan.guidance):,} characters."
        yield "guidance", f"{words} Shorten it to {LONGEST_GUIDANCE:,}."
    elif "\0" in plan.guidance:
        yield "guidance", "The guidance holds a character that cannot be kept. Type it anew."
    if plan.due and plan.due < facts.today:
        yield "due", "This day is over. Give today or a later day."
    elif plan.due and facts.ends and plan.due > facts.ends:
        yield "due", f"The project ends on {facts.ends}. Give that day or an earlier one."


def _wrong_starting(plan: ReviewPlan, facts: Facts) -> Iterator[tuple[str, str]]:
    for name, level in plan.starting:
        if name not in facts.attributes:
            yield "starting", "A starting level is given to an attribute that is not there."
        elif level not in LEVELS:
            yield starting_field(facts.attributes, name), f"Choose one of: {', '.join(LEVELS)}."


def starting_field(attributes: tuple[str, ...], name: str) -> str:
    """Name the field of an attribute's starting level, by its place: its name may be anything."""
    return f"starting-{attributes.index(name)}"


def _wrong_people(plan: ReviewPlan, facts: Facts) -> Iterator[tuple[str, str]]:
    if not plan.workers:
        yield "people", "Choose at least one worker."
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
    if person.role not in REVIEWERS or person.role not in held:
        return "They do not have this role in the project, or cannot sign in. Add them first."
    if "manager" in held and not facts.managers_may_review:
        return "Who manages this project does not review in it, unless the project allows it."
    return ""


_Check = Callable[[ReviewPlan, Facts], Iterator[tuple[str, str]]]
_CHECKS: Final[tuple[_Check, ...]] = (_wrong_numbers, _wrong_words, _wrong_starting, _wrong_people)
