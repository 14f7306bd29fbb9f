"""The terms of a review: how its pairs are shown, priced, limited and resolved.

One value with one JSON form. A plan adds who reviews which pairs (``core.review.plan``); every
assignment and its entry in the ledger hold the terms as they were on the day it was given out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, Self, get_args

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
Rule = Literal["unanimous", "majority", "confidence"]

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
    """The terms of a review; ``project_limit`` is in 10⁻⁹, and none where it is None.

    ``starting`` lists the attributes whose cells do not start masked, with their levels.
    """

    reviews: int = 2
    kappa: int = 1
    accounting: Accounting = "paper"
    date_swaps: DateSwap = "digits"
    prices: Prices = "exact"
    starting: tuple[Step, ...] = ()
    frequency_bands: bool = False
    project_limit: int | None = None
    rule: Rule = "unanimous"
    hints: bool = False
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
        yield "reviews", f"Give 1 to {MOST_REVIEWS} reviews of each pair."
    if terms.kappa < 1:
        yield "kappa", "Give 1 or more: the smallest number of people that a row may leave."
    elif terms.kappa > records:
        words = f"The project has {records:,} records, and nobody can be one of more."
        yield "kappa", f"{words} It cannot be dispatched with this κ: give a smaller one."
    for field, allowed in CHOICES.items():
        if getattr(terms, field) not in allowed:
            yield field, f"Choose one of: {', '.join(allowed)}."
    if terms.project_limit is not None and not 1 <= terms.project_limit <= WHOLE:
        yield "project_limit", "Give more than 0% and not more than 100%, or leave it empty."
    yield from _wrong_starting(terms, attributes)
    if len(terms.guidance) > LONGEST_GUIDANCE:
        words = f"The guidance has {len(terms.guidance):,} characters."
        yield "guidance", f"{words} Shorten it to {LONGEST_GUIDANCE:,}."
    elif "\0" in terms.guidance:
        yield "guidance", "The guidance holds a character that cannot be kept. Type it anew."


def _wrong_starting(terms: Terms, attributes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name, level in terms.starting:
        if name not in attributes:
            yield "starting", "A starting level is given to an attribute that is not there."
        elif level not in LEVELS:
            yield starting_field(attributes, name), f"Choose one of: {', '.join(LEVELS)}."


def starting_field(attributes: tuple[str, ...], name: str) -> str:
    """Name the field of an attribute's starting level by position: its name may be anything."""
    return f"starting-{attributes.index(name)}"
