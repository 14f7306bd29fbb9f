"""From decisions to persons: what reviews leave open, who settles it, and what that comes to."""

from mindfirl.services.resolution.adjudication import (
    accept,
    confirm_conflicts,
    give_conflicts,
    propose_conflicts,
    waiting_dispatch,
)
from mindfirl.services.resolution.linkage import (
    link,
    linkages_of,
    persons_of,
)
from mindfirl.services.resolution.standing import (
    Conflict,
    Standing,
    conflicts_in,
    counts_of,
    standing_of,
)

__all__ = [
    "Conflict",
    "Standing",
    "accept",
    "confirm_conflicts",
    "conflicts_in",
    "counts_of",
    "give_conflicts",
    "link",
    "linkages_of",
    "persons_of",
    "propose_conflicts",
    "standing_of",
    "waiting_dispatch",
]
