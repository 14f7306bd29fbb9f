"""Weights and probabilities as they are written, to weights."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.engine.pairs.candidates import Weights
from mindfirl.engine.pairs.named_records import refuse
from mindfirl.engine.pairs.scored_files.layout import ScoreColumn

MOST: Final = 100.0
"""Weights are kept within this: odds of 2 to the 100 are as good as sure, and finite."""

_NUMBER: Final = r"(?i)^\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)\s*$"


def weights_from_scores(
    cells: pa.ChunkedArray, score: ScoreColumn, *, needed: NDArray[np.bool_] | None, file: str
) -> Weights:
    """Read a column of weights, or of probabilities; rows that are not needed may hold anything."""
    numbers = _numbers(cells)
    if needed is not None:
        numbers[~needed] = 0.0
    mend = "Give a number with a decimal point."
    refuse(np.isnan(numbers), "the cell is no number", mend, file=file, column=score.column)
    if score.is_probability:
        outside = (numbers < 0) | (numbers > 1)
        mend = "Give shares, or name the column weight if it holds logarithms of odds to base 2."
        rule = "the probability is not from 0 to 1"
        refuse(outside, rule, mend, file=file, column=score.column)
        with np.errstate(divide="ignore"):  # of 0 and 1, whose weights have no end
            numbers = np.log2(numbers) - np.log2(1 - numbers)
    return np.clip(numbers, -MOST, MOST)


def _numbers(cells: pa.ChunkedArray) -> Weights:
    """Turn text into numbers; what is none becomes nan."""
    trimmed = pc.utf8_ltrim(pc.utf8_trim_whitespace(cells), "+")
    written = pc.if_else(pc.match_substring_regex(cells, _NUMBER), trimmed, None)
    numbers = written.cast(pa.float64()).fill_null(float("nan"))
    return np.array(numbers.to_numpy(), dtype=np.float64)
