"""From decisions to persons: what reviews leave open, who settles it, and what that comes to."""

from mindfirl.services.resolve.adjudication import (
    accept,
    confirm_conflicts,
    give_conflicts,
    propose_conflicts,
)
from mindfirl.services.resolve.contradictions import Path, paths_in
from mindfirl.services.resolve.peer_votes import PeerVote, peer_votes
from mindfirl.workspace.standing import Conflict, Standing, conflicts_in, counts_of, standing_of

__all__ = [
    "Conflict",
    "Path",
    "PeerVote",
    "Standing",
    "accept",
    "confirm_conflicts",
    "conflicts_in",
    "counts_of",
    "give_conflicts",
    "paths_in",
    "peer_votes",
    "propose_conflicts",
    "standing_of",
]
