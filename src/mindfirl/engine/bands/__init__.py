"""Two thresholds cut candidate pairs into three bands: linked, for people, not linked."""

from mindfirl.core.review.plan import Priority
from mindfirl.engine.bands.burden import Bands, Burden, Curve, burden, burden_curve, probability
from mindfirl.engine.bands.closure import Flags, Settlement, settle_candidates, settled_by_links
from mindfirl.engine.bands.review_order import pick, quality_sample, shuffled
from mindfirl.engine.bands.threshold_choice import bands_for_pairs, bands_for_rates

__all__ = [
    "Bands",
    "Burden",
    "Curve",
    "Flags",
    "Priority",
    "Settlement",
    "bands_for_pairs",
    "bands_for_rates",
    "burden",
    "burden_curve",
    "pick",
    "probability",
    "quality_sample",
    "settle_candidates",
    "settled_by_links",
    "shuffled",
]
