"""Two thresholds cut candidate pairs into three bands: linked, for people, not linked.

``burden``
    the bands, and what the model expects of them: pairs for people, false links, missed links.
``choice``
    bands from the rates of error that a manager allows, or from how many pairs people can take.
``closure``
    pairs for people that the automatic links have settled already.
``picking``
    which pairs go out, in which order; samples that measure the automatic bands.
"""

from mindfirl.engine.bands.burden import Bands, Burden, Curve, burden, burden_curve
from mindfirl.engine.bands.choice import (
    FALSE_LINKS,
    MISSED_LINKS,
    bands_for_pairs,
    bands_for_rates,
)
from mindfirl.engine.bands.closure import components, settled
from mindfirl.engine.bands.picking import (
    Numbers,
    Priority,
    QualitySample,
    pick,
    quality_sample,
    shuffled,
)

__all__ = [
    "FALSE_LINKS",
    "MISSED_LINKS",
    "Bands",
    "Burden",
    "Curve",
    "Numbers",
    "Priority",
    "QualitySample",
    "bands_for_pairs",
    "bands_for_rates",
    "burden",
    "burden_curve",
    "components",
    "pick",
    "quality_sample",
    "settled",
    "shuffled",
]
