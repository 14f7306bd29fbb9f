"""Whether reviewers agree: what they say of pairs as units, and all figures of a project."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal, TypeVar, get_args

from mindfirl.core.review.agreement import (
    FEWEST,
    Agreement,
    Unit,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    observed_agreement,
    rated_by,
)
from mindfirl.core.review.decisions import CANNOT_TELL, VERDICTS, Decision

Opened = Literal["nothing", "some", "everything"]
"""How much of a pair somebody had opened when they decided it."""

OPENED: Final[tuple[Opened, ...]] = get_args(Opened)
LINK: Final = "link"
NON_LINK: Final = "non-link"

_Item = TypeVar("_Item")
_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Vote:
    """What somebody says of a pair, and how much of it they had opened by then."""

    rater: str
    decision: Decision
    opened: Opened


@dataclass(frozen=True, slots=True)
class Figures:
    """How much any number of raters agree."""

    observed: Agreement
    fleiss: Agreement
    alpha: Agreement


@dataclass(frozen=True, slots=True)
class OfTwo:
    """How much two raters agree, on the pairs that both decided."""

    first: str
    second: str
    observed: Agreement
    cohen: Agreement
    alpha: Agreement


@dataclass(frozen=True, slots=True)
class Summary:
    """Whether the reviewers of a project agree."""

    pairs: int
    """How many pairs two people or more have decided."""
    cannot_tell: int
    """How many of their decisions are that it cannot be told."""
    sides: Figures
    """On link or non-link; who cannot tell has said nothing."""
    answers: Figures
    """On link, non-link, or that it cannot be told."""
    steps: Agreement
    """Krippendorff's alpha of the six steps in their order: also on how sure they are."""
    of_two: tuple[OfTwo, ...]
    """On link or non-link, for any two who decided a pair in common."""
    opened: tuple[tuple[Opened, Figures], ...]
    """On link or non-link, by how much was opened."""


def summary(pairs: Iterable[Sequence[Vote]]) -> Summary:
    """Say whether people agree, of what they say of each pair."""
    shared = [votes for votes in pairs if len(votes) >= FEWEST]
    sides = [unit_of(votes) for votes in shared]
    split = grouped(shared, opened_in)
    return Summary(
        pairs=len(shared),
        cannot_tell=sum(vote.decision.same is None for votes in shared for vote in votes),
        sides=figures(sides),
        answers=figures(unit_of(votes, cannot_tell=True) for votes in shared),
        steps=krippendorff_alpha(map(_steps, shared), order=VERDICTS[:-1]),
        of_two=tuple(of_two(both, *two) for two, both in couples(sides).items()),
        opened=tuple((key, figures(map(unit_of, split.get(key, ())))) for key in OPENED),
    )


def unit_of(votes: Iterable[Vote], *, cannot_tell: bool = False) -> Unit:
    """Return who calls a pair a link and who does not; by choice also who cannot tell."""
    said = {vote.rater: _side(vote.decision) for vote in votes}
    return {rater: side for rater, side in said.items() if cannot_tell or side != CANNOT_TELL}


def opened_in(votes: Iterable[Vote]) -> Opened:
    """Say how much of a pair was opened: nothing by anybody, everything by all, or some."""
    found = {vote.opened for vote in votes}
    return found.pop() if len(found) == 1 else "some"


def grouped(items: Iterable[_Item], key: Callable[[_Item], _Key]) -> dict[_Key, list[_Item]]:
    """Split units, or pairs with their votes, by a key of each."""
    found: dict[_Key, list[_Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def couples(units: Iterable[Unit]) -> dict[tuple[str, str], list[Unit]]:
    """Return the units that any two raters have in common, in the order of their names."""
    found: dict[tuple[str, str], list[Unit]] = {}
    for unit in units:
        for two in combinations(sorted(unit), 2):
            found.setdefault(two, []).append(unit)
    return dict(sorted(found.items()))


def figures(units: Iterable[Unit]) -> Figures:
    """Measure how much any number of raters agree."""
    given = list(units)
    return Figures(observed_agreement(given), fleiss_kappa(given), krippendorff_alpha(given))


def of_two(units: Iterable[Unit], first: str, second: str) -> OfTwo:
    """Measure how much two raters agree."""
    both = rated_by(units, first, second)
    return OfTwo(
        first,
        second,
        observed_agreement(both),
        cohen_kappa(both, first, second),
        krippendorff_alpha(both),
    )


def _side(decision: Decision) -> str:
    if decision.same is None:
        return CANNOT_TELL
    return LINK if decision.same else NON_LINK


def _steps(votes: Iterable[Vote]) -> Unit:
    """Return who said which of the six steps; who cannot tell has said none."""
    return {each.rater: each.decision.verdict for each in votes if each.decision.same is not None}
