"""What a model says of itself: whether it can tell at all, and what to look at before linking."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from mindfirl.engine.pairs.candidates import Weights
from mindfirl.engine.scoring.learning.estimation import Counts
from mindfirl.engine.scoring.model import Model

_LEAST_BEST: Final = 6.6
"""The records that agree most weigh at least this much, or nothing is certain: 99 in 100."""
_FEWEST_LINKS: Final = 20
_LEAST_PRECISION: Final = 0.9
_MOST_BY_TWO: Final = 1.1
_WITHOUT_DUPLICATES: Final = "Check that no database declared without duplicates has any"
OTHER_RATES: Final = (
    "Different people look alike more or less often across the databases than inside those without "
    "duplicates. Check that no person occurs twice in them, and let people check some links."
)

_NOTHING_LINKED: Final = "Nothing is linked automatically unless you set the thresholds"
NO_MATCHES: Final = (
    f"{_NOTHING_LINKED}: the records that have most in common differ as two people do. Compare "
    "more attributes, such as first names and birth dates, or let people review the pairs."
)


def judged(model: Model, counts: Counts, *, by_two: Model) -> Model:
    """Let a model say whether it can tell, by the pairs that it was learnt from.

    ``by_two`` is what was learnt with two classes alone.
    """
    levels = list(counts.levels.T)
    weights = model.weights(levels)
    both = (weights, by_two.two_class_weights(levels))
    links, links_by_two = (max(1.0, _above(counts, each)) for each in both)
    check = float(f"{links_by_two / links:.10g}")
    warnings = (_unclear(model, counts, weights), _dependent(model, check))
    return replace(
        model,
        self_check=check,
        warnings=(*model.warnings, *filter(None, warnings)),
        cannot_tell=_cannot_tell(model, counts, weights) or model.cannot_tell,
    )


def _above(counts: Counts, weights: Weights) -> float:
    return float(counts.counts[weights > 0].sum())


def _dependent(model: Model, check: float) -> str:
    if check <= _MOST_BY_TWO or model.false_links:
        return ""
    return (
        f"A simpler model would make {check:.2f} times as many links: many different people may "
        f"look alike here. Let people check a sample of the automatic links before you use them."
    )


def _unclear(model: Model, counts: Counts, weights: Weights) -> str:
    """Say how many links depend on pairs that may be of one person or not."""
    classes = tuple(
        replace(each, kind="dirty records") if each.kind == "unclear" else each
        for each in model.classes
    )
    with_them = replace(model, classes=classes).weights(list(counts.levels.T))
    more = _above(counts, with_them) - _above(counts, weights)
    if more < 1:
        return ""
    return (
        f"About {more:,.0f} more pairs may be of one person with many errors, or of different "
        f"people who look alike. The model cannot tell, so they are not linked automatically."
    )


def _cannot_tell(model: Model, counts: Counts, weights: Weights) -> str:
    """Say why nothing may be linked automatically; nothing if the model can tell."""
    identical = model.weights([np.array([len(each) - 1]) for each in model.attributes.values()])
    # Agreeing on everything can be odd: one person's jobs are with different employers.
    best = float(weights.max(initial=identical.item()))
    expected, stated = model.match_share * counts.total, _stated_precision(counts, weights)
    if best < _LEAST_BEST:
        why = "records that agree as much as any can still be of different people"
        what = "Compare more attributes"
    elif expected < _FEWEST_LINKS:
        why = f"about {expected:,.0f} links are expected, too few to learn from"
        what = _WITHOUT_DUPLICATES if model.false_links else "Let people review the pairs"
    elif stated < _LEAST_PRECISION:
        why = f"about {1 - stated:.0%} of the links would be false"
        what = "Compare more attributes"
    else:
        return ""
    return f"{_NOTHING_LINKED}: {why}. {what}."


def _stated_precision(counts: Counts, weights: Weights) -> float:
    """Return what share of the links at weight 0 is right, as the model sees it."""
    pairs, odds = counts.counts[weights > 0], np.exp2(weights[weights > 0])
    return float(pairs @ (odds / (1 + odds))) / float(pairs.sum()) if len(pairs) else 1.0
