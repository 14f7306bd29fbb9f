"""Two thresholds cut candidate pairs into three bands: linked, for people, not linked.

``burden``
    the bands, and what the model expects of them: pairs for people, false links, missed links.
``choice``
    bands from the rates of error that a manager allows, or from how many pairs people can take.
``closure``
    what the automatic links lead to: pairs that they settle, links that contradict each other.
``picking``
    which pairs go out, in which order; samples that measure the automatic bands.
"""

from mindfirl.core.review.plan import Priority
from mindfirl.engine.bands.burden import Bands, Burden, Curve, burden, burden_curve, probability
from mindfirl.engine.bands.closure import Flags, Settlement, settle_candidates, settled_by_links
from mindfirl.engine.bands.review_order import (
    Numbers,
    QualitySample,
    in_order,
    pick,
    quality_sample,
    shuffled,
)
from mindfirl.engine.bands.threshold_choice import (
    FALSE_LINKS,
    MISSED_LINKS,
    bands_for_pairs,
    bands_for_rates,
)

__all__ = [
    "FALSE_LINKS",
    "MISSED_LINKS",
    "Bands",
    "Burden",
    "Curve",
    "Flags",
    "Numbers",
    "Priority",
    "QualitySample",
    "Settlement",
    "bands_for_pairs",
    "bands_for_rates",
    "burden",
    "burden_curve",
    "in_order",
    "pick",
    "probability",
    "quality_sample",
    "settle_candidates",
    "settled_by_links",
    "shuffled",
]
