"""From decisions to persons: what reviews leave open, who settles it, and what that comes to."""

from mindfirl.services.resolution.adjudication import (
    accept,
    confirm_conflicts,
    give_conflicts,
    propose_conflicts,
    waiting_dispatch,
)
from mindfirl.services.resolution.heard import Heard, heard_on
from mindfirl.services.resolution.linkage import (
    link,
    linkages_of,
    persons_of,
)
from mindfirl.services.resolution.paths import Path, paths_in
from mindfirl.services.resolution.standing import (
    Conflict,
    Standing,
    conflicts_in,
    counts_of,
    standing_of,
)

__all__ = [
    "Conflict",
    "Heard",
    "Path",
    "Standing",
    "accept",
    "confirm_conflicts",
    "conflicts_in",
    "counts_of",
    "give_conflicts",
    "heard_on",
    "link",
    "linkages_of",
    "paths_in",
    "persons_of",
    "propose_conflicts",
    "standing_of",
    "waiting_dispatch",
]
