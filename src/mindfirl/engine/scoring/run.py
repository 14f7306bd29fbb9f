"""Score pairs: learn what each level of agreement weighs, without labels; weigh pairs by it.

How often a level occurs among strangers is counted in a seeded sample of all pairs. How often it
occurs among records of one person is estimated by expectation maximisation, in several sessions,
each on the pairs that agree in some attributes; an attribute learns from the sessions that do not
rest on it. What no session could teach gets a cautious value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, log2
from typing import Final

import numpy as np
import pyarrow as pa
from splink.internals.exceptions import EMTrainingException

from mindfirl.core.progress import Progress, no_progress
from mindfirl.core.values.schema import Schema
from mindfirl.engine.pairs.candidates import Candidates, Weights, ordered
from mindfirl.engine.scoring.blocking import Blocking, Mode, Rule
from mindfirl.engine.scoring.comparisons import Comparison, Level, Model, column
from mindfirl.engine.scoring.engines import Engine
from mindfirl.engine.scoring.splink_inputs import POSITION, Session, Shares, session, shares_of

_SAMPLE: Final = 1_000_000
"""This many pairs are looked at to see what strangers have in common."""
_SESSION: Final = 2_000_000
_TOO_FEW: Final = 50
_TAUGHT: Final = 2
"""This many sessions teach each attribute, where there are rules for it."""
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
    """Choose rules by which every attribute can learn, the strictest first: it has most matches."""
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


_PIECE: Final = 10_000_000
_ROUNDS: Final = 100
_SETTLED: Final = 1e-9


def predict_weights(
    session: Session, model: Model, *, least_weight: float, progress: Progress
) -> Candidates:
    """Weigh all pairs that a rule of the model makes; drop those of less than the least weight."""
    shares = model.attributes.items()
    linker = session.linker(
        1 / (1 + 2.0**-model.prior),
        chance={name: [level.by_chance for level in levels] for name, levels in shares},
        match={name: [level.by_match for level in levels] for name, levels in shares},
        rules=model.blocking.rules,
    )
    places = [column(each.place) for each in session.comparisons]
    wanted = [
        f"{POSITION}_l",
        f"{POSITION}_r",
        "match_weight",
        *(f"gamma_{place}" for place in places),
    ]
    pieces = max(1, ceil(model.blocking.total / _PIECE))
    found = []
    for piece in range(pieces):
        progress("comparing", piece, pieces)
        frame = linker.inference.predict_chunk(
            right_chunk=(piece + 1, pieces),
            threshold_match_weight=least_weight,
            warning_mode="never",
        )
        found.append(session.engine.fetch(frame, wanted))
        frame.drop_table_from_database_and_remove_from_cache()
    progress("comparing", pieces, pieces)
    table = pa.concat_tables(found)
    return ordered(
        table.column(wanted[0]).to_numpy().astype(np.int64),
        table.column(wanted[1]).to_numpy().astype(np.int64),
        table.column(wanted[2]).to_numpy(),
        {
            each.attribute: (table.column(f"gamma_{place}").to_numpy() + 1).astype(np.uint8)
            for each, place in zip(session.comparisons, places, strict=True)
        },
    )


def calibrated(
    candidates: Candidates, model: Model, possible: int, *, least_weight: float
) -> tuple[Candidates, Model]:
    """Let the prior be what the weights themselves say: the share of all pairs that are matches."""
    shift = _shift(candidates.weight, model.prior, possible)
    weight = candidates.weight + shift
    moved = replace(candidates, weight=weight).take(weight >= least_weight)
    return moved, replace(model, prior=model.prior + shift)


def _shift(weights: Weights, prior: float, possible: int) -> float:
    """Find by how much the prior weight must move to agree with the expected number of matches."""
    shift = 0.0
    for _ in range(_ROUNDS):
        expected = float((1 / (1 + np.exp2(-(weights + shift)))).sum())
        share = min(max(expected, 0.5), possible / 2) / max(1, possible)
        before, shift = shift, log2(share / (1 - share)) - prior
        if abs(shift - before) < _SETTLED:
            break
    return round(shift, 9)


LEAST_WEIGHT: Final = -10.0
"""Pairs of less weight, one match in a thousand, are not kept."""


def score_pairs(
    identities: Sequence[pa.Table],
    schema: Schema,
    blocking: Blocking,
    *,
    mode: Mode,
    engine: Engine,
    seed: int,
    least_weight: float = LEAST_WEIGHT,
    progress: Progress = no_progress,
) -> tuple[Candidates, Model]:
    """Return the pairs of at least the least weight, and the model that weighed them."""
    with session(identities, schema, mode=mode, engine=engine) as opened:
        model = train_model(opened, blocking, seed=seed, progress=progress)
        found = predict_weights(opened, model, least_weight=least_weight, progress=progress)
        return calibrated(found, model, opened.possible, least_weight=least_weight)
