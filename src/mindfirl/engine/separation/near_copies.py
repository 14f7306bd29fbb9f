"""Databases that could be made of guesses: many records that are nearly one person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.population.attribute_index import MISSING
from mindfirl.core.values.schema import Schema

_LOOKED_AT: Final = 200
"""The number of records, drawn at random, that are compared with all of their database."""
_FEWEST: Final = 10
_SHARE: Final = 0.1
_SEED: Final = 1


def is_made_of_near_copies(codes: Sequence[NDArray[Any]], schema: Schema) -> bool:
    """Say whether a tenth of the records, and at least ten, are nearly one person.

    Records are nearly one person if they agree on more than half of the attributes; categories,
    on which many people agree, are left out where there is anything else. ``codes`` are those of
    the values of one database, by attribute.
    """
    kept = [
        each
        for each, attribute in zip(codes, schema.attributes, strict=True)
        if attribute.kind != "category"
    ] or list(codes)
    size = len(kept[0])
    drawn = np.random.default_rng(_SEED).permutation(size)[:_LOOKED_AT]
    most = max((_alike(kept, int(record)) for record in drawn), default=0)
    return most >= max(_FEWEST, _SHARE * size)


def _alike(codes: Sequence[NDArray[Any]], record: int) -> int:
    agreeing = np.zeros(len(codes[0]), dtype=np.int64)
    for each in codes:
        agreeing += (each == each[record]) & (each != MISSING)
    return int((2 * agreeing > len(codes)).sum())
