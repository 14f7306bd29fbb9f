"""Bands from what a manager says: the errors to be allowed, or the pairs that people can take."""

from __future__ import annotations

from typing import Final

import numpy as np

from mindfirl.core.errors import SettingError
from mindfirl.engine.bands.burden import Bands, burden_curve
from mindfirl.engine.pairs.candidates import Candidates

FALSE_LINKS: Final = 0.00001
MISSED_LINKS: Final = 0.0001
"""What is wanted is 1 error in 1,000. The model is asked for far fewer, because it thinks too well
of itself: it takes attributes for independent of each other, which in families they are not. Where
data are good this costs a few pairs, since few are uncertain.
"""


def bands_for_rates(
    candidates: Candidates,
    *,
    false_links: float = FALSE_LINKS,
    missed_links: float = MISSED_LINKS,
) -> Bands:
    """Return the bands that send fewest pairs to people and keep two rates that the model expects.

    ``false_links`` is the share of false ones among the automatic links, ``missed_links`` the share
    of all true links that the automatic non-links lose. Both are by weight alone, before closure.
    """
    for rate in (false_links, missed_links):
        if not 0 <= rate <= 1:
            raise SettingError("A rate of errors must be a share. Give a number from 0 to 1.")
    curve = burden_curve(candidates)
    cuts = curve.cuts
    # Both rates only grow with the number of pairs in their band, so the last good cut is the best.
    links = int(cuts[curve.false_links[cuts] <= false_links * cuts][-1])
    lost = missed_links * curve.missed_links[0]
    kept = int(cuts[curve.missed_links[cuts] <= lost][0])
    if links <= kept:
        return Bands(curve.threshold(kept), curve.threshold(links))
    # One threshold keeps both rates: the one with fewest errors of both kinds.
    within = cuts[(cuts >= kept) & (cuts <= links)]
    errors = curve.false_links[within] + curve.missed_links[within]
    single = curve.threshold(int(within[np.argmin(errors)]))
    return Bands(single, single)


def bands_for_pairs(candidates: Candidates, pairs: int) -> Bands:
    """Return the bands that send at most so many pairs to people, where most errors are expected.

    Pairs of one weight stay together, so people may get fewer; pairs that are settled already and
    contested links are not looked at here.
    """
    if pairs < 0:
        raise SettingError("People cannot take fewer than 0 pairs. Give 0 or more.")
    curve = burden_curve(candidates)
    cuts = curve.cuts
    # For each number of links, the widest band below it that people can take loses fewest links.
    kept = cuts[np.searchsorted(cuts, cuts + pairs, side="right") - 1]
    best = int(np.argmin(curve.false_links[cuts] + curve.missed_links[kept]))
    return Bands(curve.threshold(int(kept[best])), curve.threshold(int(cuts[best])))
