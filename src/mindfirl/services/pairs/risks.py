"""Which pairs have their risks worked out: those for people, and their neighbours."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from mindfirl.core.progress import Progress
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.risk_forecast import ExpectedRisks, expected_risks
from mindfirl.engine.bands.settlement import settle_candidates
from mindfirl.engine.pairs.candidates import Candidates, Positions
from mindfirl.workspace.open_version import OpenVersion

MOST_RISKS: Final = 20_000
"""Risks are worked out for so many pairs for people at the most, the middle of the band first."""
MORE_RISKS: Final = 3_000
"""And for so many others next to them, so that moved thresholds show at once what they cost."""


def with_risks(
    data: OpenVersion,
    candidates: Candidates,
    bands: Bands,
    known: ExpectedRisks,
    progress: Progress,
) -> ExpectedRisks:
    """Add the risks that bands need and that are not known; the same object if none are lacking."""
    lacking = lacking_risks(data, candidates, bands, known)
    if not len(lacking):
        return known
    found = expected_risks(
        data.index(), candidates, lacking, progress=partial(progress, "risk ahead")
    )
    return known.joined(found)


def lacking_risks(
    data: OpenVersion, candidates: Candidates, bands: Bands, known: ExpectedRisks
) -> Positions:
    """Return which risks to work out: none if those of the pairs for people are known."""
    sent = settle_candidates(candidates, bands, data.without_duplicates).sent
    away = np.abs(candidates.weight - (bands.lower + bands.upper) / 2)
    order = np.lexsort((away, ~sent))
    return known.lacking(order, needed=min(int(sent.sum()), MOST_RISKS), more=MORE_RISKS)
