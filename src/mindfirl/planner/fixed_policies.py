"""Policies that show the same of every pair: what they show, and what that costs."""

from __future__ import annotations

import numpy as np

from mindfirl.core.risk.kapr import row_risks, units
from mindfirl.core.values.schema import FULL, LEVELS, MASKED
from mindfirl.planner.reviewer.cell_features import IDENTICAL, NAMES
from mindfirl.planner.reviewer.pair_features import Looks, Numbers
from mindfirl.planner.walking import Drawn


def fixed_levels(looks: Looks, policy: str) -> Numbers:
    """Return the levels of a policy that opens all cells alike, or those that differ."""
    size, width = looks.tells.shape[:2]
    if policy == "differing full":
        relation = looks.tells[:, :, MASKED, NAMES.index("relation")]
        return np.where(relation != IDENTICAL, FULL, MASKED)
    level = next(number for number, name in enumerate(LEVELS) if policy == f"all {name}")
    return np.full((size, width), level)


def fixed_units(drawn: Drawn, levels: Numbers) -> Numbers:
    """Return what pairs cost, in units, when their cells are at some levels."""
    found = np.zeros(len(drawn), dtype=np.int64)
    if not levels.any():
        return found
    for number, state in enumerate(levels.tolist()):
        risks = row_risks(drawn.index, drawn.view(number, state), drawn.terms.accounting)
        found[number] = units(risks, drawn.terms.kappa)
    return found


def fixed_characters(looks: Looks, levels: Numbers) -> Numbers:
    """Return how many characters pairs show when their cells are at some levels."""
    shown: Numbers = np.take_along_axis(looks.shows, levels[:, :, None], axis=2)[:, :, 0].sum(
        axis=1
    )
    return shown
