"""What thresholds ask of people, what that could cost, and how it compares with the truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.settlement import Evaluation, evaluate_bands
from mindfirl.engine.pairs.pair_lists import read_truth
from mindfirl.store.models import Project
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs


def evaluated(*, project: Project, truth: Path) -> Evaluation:
    pairs = open_pairs(project)
    known = read_truth(truth, pairs.data.record_ids(), within=pairs.scoring.mode != "link")
    return evaluate_bands(pairs.candidates, pairs.bands, known, pairs.data.without_duplicates)


def describe(pairs: OpenPairs, *, kappa: int = 1) -> dict[str, Any]:
    """Describe pairs in plain values: bands, what they ask of people, and what that could cost."""
    scoring = pairs.scoring
    return {
        "pairs": len(pairs.candidates),
        "lower": pairs.bands.lower,
        "upper": pairs.bands.upper,
        **burden_of(pairs, pairs.bands, kappa=kappa),
        "remarks": list(scoring.remarks),
        "model": json.loads(scoring.model) if scoring.model else None,
    }


def burden_of(pairs: OpenPairs, bands: Bands, *, kappa: int = 1) -> dict[str, Any]:
    """Say what any bands would ask of people, and what that could cost.

    K is that of the pairs for people whose risks are known; ``K_known`` says how many these are.
    ``expected_links`` is how many true links the model expects among all pairs.
    """
    expected = pairs.curve.at(bands.lower, bands.upper)
    done = pairs.settlement if bands == pairs.bands else pairs.settle(bands)
    review = np.flatnonzero(done.sent)
    return {
        "links": int(done.linked.sum()),
        "review": len(review),
        "contested": int(done.contested.sum()),
        "settled": int(done.settled.sum()),
        "non_links": expected.non_links,
        "expected_links": float(pairs.curve.missed_links[0]),
        "expected_false_links": expected.false_links,
        "expected_missed_links": expected.missed_links,
        "K": pairs.risks.score(review, attributes=pairs.attributes, kappa=kappa),
        "K_known": pairs.risks.known(review),
    }
