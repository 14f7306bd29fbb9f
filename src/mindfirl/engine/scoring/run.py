"""Score pairs: learn a model, then let Splink weigh every pair that a rule makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import Final

import numpy as np
import pyarrow as pa

from mindfirl.core.merging.rivals import bits_for_rivals
from mindfirl.core.merging.weighing import WeighedPairs
from mindfirl.core.progress import Progress, no_progress
from mindfirl.core.values.schema import Schema
from mindfirl.engine.pairs.candidates import Candidates, ordered
from mindfirl.engine.scoring.blocking import NO_RULES, Blocking, Mode, RuleSource
from mindfirl.engine.scoring.comparisons import column
from mindfirl.engine.scoring.derived_rules import LikelyPairs, derive_rules
from mindfirl.engine.scoring.engines import Engine
from mindfirl.engine.scoring.error_sources import links_by_no_rule
from mindfirl.engine.scoring.keyed_records import exchanges_of
from mindfirl.engine.scoring.learning.counting import strict_rules
from mindfirl.engine.scoring.learning.patterns import grade_pairs
from mindfirl.engine.scoring.learning.training import train_model
from mindfirl.engine.scoring.model import Model
from mindfirl.engine.scoring.splink_inputs import POSITION, Session, session

_PIECE: Final = 10_000_000
_MOST_GRADED: Final = 300_000
"""Among this many pairs of strict rules a model looks for its own matches."""
_MARGIN: Final = 10.0
"""A pair may weigh this many bits more by all classes than by matches and strangers alone."""


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
            threshold_match_weight=least_weight - _MARGIN,
            warning_mode="never",
        )
        found.append(_weighed(session.engine.fetch(frame, wanted), model, least_weight))
        frame.drop_table_from_database_and_remove_from_cache()
    progress("comparing", pieces, pieces)
    table = pa.concat_tables(found)
    left, right, weight = (table.column(name).to_numpy() for name in wanted[:3])
    return ordered(
        left,
        right,
        weight,
        {
            each.attribute: table.column(f"gamma_{place}").to_numpy()
            for each, place in zip(session.comparisons, places, strict=True)
        },
    )


def _weighed(table: pa.Table, model: Model, least_weight: float) -> pa.Table:
    """Weigh pairs by all classes: Splink says how rare their values are, beside two classes."""
    left, right, weight, *levels = (column.to_numpy() for column in table.columns)
    numbers = [(each + 1).astype(np.uint8) for each in levels]
    rarity = weight - model.two_class_weights(numbers)
    weighed = model.weights(numbers, rarity)
    found = [left.astype(np.int64), right.astype(np.int64), weighed, *numbers]
    kept = weighed >= least_weight
    return pa.table([each[kept] for each in found], names=table.column_names)


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
    without_duplicates: Sequence[int] = (),
    source: RuleSource = "exact",
    own: Blocking = NO_RULES,
    most: int = 0,
    least_weight: float = LEAST_WEIGHT,
    progress: Progress = no_progress,
) -> tuple[Candidates, Model]:
    """Return the pairs of at least the least weight, and the model that weighed them.

    ``without_duplicates`` are the numbers of databases that hold each person at most once. The
    model learns by the exact rules of ``blocking``. The pairs that it weighs are those of a
    manager's ``own`` rules and, unless these alone are wanted, of the exact ones or of rules that
    it derives, all of them together of no more than ``most`` comparisons.
    """
    with session(identities, schema, mode=mode, engine=engine, seed=seed) as opened:
        model = train_model(
            opened,
            blocking,
            seed=seed,
            progress=progress,
            without_duplicates=without_duplicates,
        )
        rules = own
        if source == "exact":
            rules += blocking
        if source == "derived":
            progress("deriving rules", 0, 1)
            rules += derived_rules(opened, model, most=most - own.total)
        model = replace(model, blocking=rules)
        found = predict_weights(opened, model, least_weight=least_weight, progress=progress)
        unfound = links_by_no_rule(opened.keyed, rules.rules, found)
        alone = np.where(np.isin(opened.parts, without_duplicates), opened.parts, -1)
        bits = bits_for_rivals(WeighedPairs(found.left, found.right, found.weight), alone)
        model = replace(model, least_uncompared=round(unfound, 3), rival_bits=bits)
        return replace(found, weight=found.weight + bits), model


def derived_rules(session: Session, model: Model, *, most: int) -> Blocking:
    """Return rules that find a model's own matches again; those it learnt by if it has none."""
    strict = strict_rules(model.blocking)
    share = max(1, _MOST_GRADED // len(strict))
    graded = grade_pairs(
        session, {session.rule_sql(rule): ceil(size / share) or 1 for rule, size in strict.items()}
    )
    weights = model.weights(list(graded.levels.T))
    matches = np.flatnonzero(weights > 0)
    if not len(matches):
        return model.blocking
    probability = graded.stands_for[matches] / (1 + np.exp2(-weights[matches]))
    likely = LikelyPairs(graded.left[matches], graded.right[matches], probability)
    records = session.keyed
    derived = derive_rules(records, likely, most=most, seed=model.seed)
    return records.counted([*derived, *exchanges_of(session.schema)])
