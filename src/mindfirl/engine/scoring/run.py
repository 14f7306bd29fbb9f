"""Score pairs: learn a model from the records, and weigh every pair that the rules make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from mindfirl.core.progress import Progress, no_progress
from mindfirl.core.values.schema import Schema
from mindfirl.engine.pairs.candidates import Candidates
from mindfirl.engine.scoring import prediction, training
from mindfirl.engine.scoring.blocking import Blocking, Mode
from mindfirl.engine.scoring.engines import Engine
from mindfirl.engine.scoring.model import Model, explain
from mindfirl.engine.scoring.splink_inputs import session

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
        model = training.train_model(opened, blocking, seed=seed, progress=progress)
        found = prediction.predict_weights(
            opened, model, least_weight=least_weight, progress=progress
        )
        return prediction.calibrated(found, model, opened.possible, least_weight=least_weight)


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
        return training.train_model(opened, blocking, seed=seed, progress=progress)


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
        return prediction.predict_weights(
            opened, model, least_weight=least_weight, progress=progress
        )
