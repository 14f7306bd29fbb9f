"""Score pairs: learn a model from the records, and weigh every pair that the rules make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, log2
from typing import Final

import numpy as np
import pyarrow as pa

from mindfirl.core.progress import Progress, no_progress
from mindfirl.core.values.schema import Schema
from mindfirl.engine.pairs.candidates import Candidates, Weights, ordered
from mindfirl.engine.scoring.blocking import Blocking, Mode
from mindfirl.engine.scoring.comparisons import Model, column, explain
from mindfirl.engine.scoring.engines import Engine
from mindfirl.engine.scoring.splink_inputs import POSITION, Session, session
from mindfirl.engine.scoring.training import train_model

_PIECE: Final = 10_000_000
"""So many comparisons are made at a time."""
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


__all__ = ["LEAST_WEIGHT", "explain", "predict", "score_pairs", "train"]

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
    """Return the pairs of at least the least weight, and the model that weighed them.

    The tables hold a column for each attribute, null where it is missing, and are in the order of
    the positions, one database below the other.
    """
    with session(identities, schema, mode=mode, engine=engine) as opened:
        model = train_model(opened, blocking, seed=seed, progress=progress)
        found = predict_weights(opened, model, least_weight=least_weight, progress=progress)
        return calibrated(found, model, opened.possible, least_weight=least_weight)


def train(
    identities: Sequence[pa.Table],
    schema: Schema,
    blocking: Blocking,
    *,
    mode: Mode,
    engine: Engine,
    seed: int,
    progress: Progress = no_progress,
) -> Model:
    """Learn a model, whose prior is a first guess."""
    with session(identities, schema, mode=mode, engine=engine) as opened:
        return train_model(opened, blocking, seed=seed, progress=progress)


def predict(
    identities: Sequence[pa.Table],
    schema: Schema,
    model: Model,
    *,
    engine: Engine,
    least_weight: float = LEAST_WEIGHT,
    progress: Progress = no_progress,
) -> Candidates:
    """Weigh pairs by a model as it is, learnt here or on another engine."""
    with session(identities, schema, mode=model.mode, engine=engine) as opened:
        return predict_weights(opened, model, least_weight=least_weight, progress=progress)
