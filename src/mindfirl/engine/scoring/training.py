"""What each level of agreement weighs, learnt from the data without any labels.

How often a level occurs among strangers is counted in a seeded sample of all pairs. How often it
occurs among records of one person is estimated by expectation maximisation, in several sessions,
each on the pairs that agree in some attributes; an attribute learns from the sessions that do not
rest on it. What no session could teach gets a cautious value.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import Final

from splink.internals.exceptions import EMTrainingException

from mindfirl.core.progress import Progress
from mindfirl.engine.scoring.blocking import Blocking, Rule
from mindfirl.engine.scoring.comparisons import Comparison, Level, Model
from mindfirl.engine.scoring.splink_inputs import Session, Shares, shares_of

_SAMPLE: Final = 1_000_000
"""So many pairs are looked at to see what strangers have in common."""
_SESSION: Final = 2_000_000
"""So many pairs of a session are enough."""
_TOO_FEW: Final = 50
_TAUGHT: Final = 2
"""So many sessions teach each attribute, where there are rules for it."""
_LEAST_MATCH: Final = 1e-4
"""No level is rarer than this among records of one person: nothing speaks against it for ever."""
_LIKELY: Final = 0.9


def first_prior(session: Session) -> float:
    """Guess, to begin with, that each record has one other of the same person."""
    return min(0.5, sum(session.sizes) / max(1, session.possible))


def train_model(session: Session, blocking: Blocking, *, seed: int, progress: Progress) -> Model:
    """Learn a model from the records; its prior is only a first guess."""
    prior = first_prior(session)
    progress("learning", 0, 2)
    chance = _among_strangers(session, prior, seed)
    progress("learning", 1, 2)
    match = _among_matches(session, blocking, prior, chance)
    progress("learning", 2, 2)
    attributes = {
        each.attribute: _levels(each, chance[each.attribute], match[each.attribute])
        for each in session.comparisons
    }
    return Model(
        attributes, log2(prior / (1 - prior)), blocking, session.mode, seed, session.engine.name
    )


def _unknown(comparisons: Sequence[Comparison]) -> dict[str, list[None]]:
    return {each.attribute: [None] * len(each.names) for each in comparisons}


def _among_strangers(session: Session, prior: float, seed: int) -> dict[str, list[float]]:
    """Count how often each level occurs among any two records."""
    unknown = _unknown(session.comparisons)
    linker = session.linker(prior, chance=unknown, match=unknown)
    linker.training.estimate_u_using_random_sampling(max_pairs=_SAMPLE, seed=seed)
    least = 0.5 / min(_SAMPLE, max(1, session.possible))
    learnt = shares_of(linker, session.comparisons, "u_probability")
    return {
        name: [_significant(max(share or least, least)) for share in shares]
        for name, shares in learnt.items()
    }


def _among_matches(
    session: Session, blocking: Blocking, prior: float, chance: Shares
) -> dict[str, list[float | None]]:
    """Estimate how often each level occurs in two records of one person."""
    unknown = _unknown(session.comparisons)
    linker = session.linker(prior, chance=chance, match=unknown)
    for rule, pairs in _sessions(session.comparisons, blocking):
        try:
            linker.training.estimate_parameters_using_expectation_maximisation(
                session.rule_sql(rule),
                estimate_without_term_frequencies=True,
                max_pairs=_SESSION if pairs > _SESSION else None,
            )
        except EMTrainingException:
            continue  # a sample without a single pair teaches nothing
    return shares_of(linker, session.comparisons, "m_probability")


def _sessions(comparisons: Sequence[Comparison], blocking: Blocking) -> list[tuple[Rule, int]]:
    """Choose rules so that every attribute can learn from one that does not rest on it.

    Of those that teach the most, the strictest comes first: it has the most matches in it.
    """
    names = {each.place: each.attribute for each in comparisons}
    partner = {
        each.attribute: each.attribute if each.exchanged is None else names[each.exchanged]
        for each in comparisons
    }
    taught = dict.fromkeys(names.values(), 0)
    left = {
        rule: pairs
        for rule, pairs in zip(blocking.rules, blocking.comparisons, strict=True)
        if pairs >= _TOO_FEW
    }
    chosen = []
    while left:
        teaches = {
            rule: [
                name
                for name, times in taught.items()
                if times < _TAUGHT and name not in rule and partner[name] not in rule
            ]
            for rule in left
        }
        best = max(left, key=lambda rule: (len(teaches[rule]), -left[rule], rule))
        if not teaches[best]:
            break
        chosen.append((best, left.pop(best)))
        for name in names.values():
            taught[name] += name not in best and partner[name] not in best
    return chosen


def _levels(
    comparison: Comparison, chance: Sequence[float], match: Sequence[float | None]
) -> tuple[Level, ...]:
    names = comparison.names
    if all(share is None for share in match):
        match = [None, *[(1 - _LIKELY) / (len(names) - 2)] * (len(names) - 2), _LIKELY]
    levels = [Level(names[0], 0.0)]
    for number in range(1, len(names)):
        share = match[number]
        weight = round(log2(max(share or 0.0, _LEAST_MATCH) / chance[number]), 9)
        if share is None:
            weight = min(weight, 0.0)  # what was never seen speaks for nothing
        levels.append(Level(names[number], weight, chance[number]))
    return tuple(levels)


def _significant(share: float) -> float:
    """Round so that the order in which threads add up does not show."""
    return float(f"{share:.10g}")
