"""Candidate pairs: found by scoring or brought from elsewhere, and cut into three bands."""

from mindfirl.services.pairs.burden import burden_of, describe, evaluated
from mindfirl.services.pairs.finding import Blocked, bring_pairs, find_pairs, plan_pairs
from mindfirl.services.pairs.thresholds import move_thresholds, set_bands
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs

__all__ = [
    "Blocked",
    "OpenPairs",
    "bring_pairs",
    "burden_of",
    "describe",
    "evaluated",
    "find_pairs",
    "move_thresholds",
    "open_pairs",
    "plan_pairs",
    "set_bands",
]
