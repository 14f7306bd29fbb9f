"""Labelled pairs that look the same: what is imagined of a step, also where there are none."""

from __future__ import annotations

import numpy as np

from mindfirl.planner.reviewer.cell_features import WIDTH
from mindfirl.planner.reviewer.references import References

LEVELS = 3


def test_where_no_labelled_pair_looks_the_same_nothing_is_imagined() -> None:
    tells = np.zeros((4, 2, LEVELS, WIDTH), dtype=np.float32)
    references = References(tells, ({}, {}))
    different, same = references.like(0, 0, 1, 2)
    both = np.concatenate((different, same))
    assert len(both) == 0
    now = np.zeros((2, WIDTH), dtype=np.float32)
    assert references.imagined(now, (0,), 2, both).shape == (0, 2 * WIDTH)
    assert references.imagined(now, (0,), 2, np.array([3, 1])).shape == (2, 2 * WIDTH)
