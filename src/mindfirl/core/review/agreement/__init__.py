"""Whether people who decided the same pairs agree, beyond chance, with intervals of 95%.

A unit is what raters said of one thing: a category each; who said nothing is not in it. Estimates
are exact fractions until they are handed out. Nothing is drawn at random:

observed agreement
    with Wilson's interval, as if a unit agreed or not; for more than two raters that is too wide.
Cohen's kappa
    of two raters, with the asymptotic variance of Fleiss, Cohen and Everitt (1969).
Fleiss' kappa
    of as many ratings of every unit, with the same for many raters: Gwet's (2008) variance.
Krippendorff's alpha
    of any number of ratings, with the jackknife over units.

A figure that is not defined says so, and why. So does an interval: where all units are alike,
their spread says nothing about what others would have said.
"""

from __future__ import annotations

from mindfirl.core.review.agreement.alpha import krippendorff_alpha
from mindfirl.core.review.agreement.kappa import cohen_kappa, fleiss_kappa, observed_agreement
from mindfirl.core.review.agreement.results import Agreement, Lack, Unit
from mindfirl.core.review.agreement.summary import (
    LINK,
    NON_LINK,
    OPENED,
    Figures,
    OfTwo,
    Opened,
    Summary,
    Vote,
    couples,
    figures,
    grouped,
    of_two,
    opened_in,
    summary,
    unit_of,
)

__all__ = [
    "LINK",
    "NON_LINK",
    "OPENED",
    "Agreement",
    "Figures",
    "Lack",
    "OfTwo",
    "Opened",
    "Summary",
    "Unit",
    "Vote",
    "cohen_kappa",
    "couples",
    "figures",
    "fleiss_kappa",
    "grouped",
    "krippendorff_alpha",
    "observed_agreement",
    "of_two",
    "opened_in",
    "summary",
    "unit_of",
]
