"""Openings: the only place where values become characters for a person.

A pair is shown as far as the ledger says that it is open, and no further. An opening is one
transaction: the project's ledger is locked, the pair's state is read, ``core.review.opening``
decides, the entry is appended; only when that is safe on the disk are the characters drawn.

``opened``
    what is open in the pairs of an assignment.
``advising``
    which cell to open next, by what is visible and what it costs.
``opening``
    one transaction from the lock on the ledger to the entry that tells of it.
``practice``
    made-up pairs on the same terms, of which nothing is recorded.
``commenting``
    comments on pairs, which must not repeat what their writer sees.
``explaining``
    what the weight of a pair is made of, for an adjudicator who asks.
"""

from mindfirl.services.review.disclosure.commenting import comment, comments_of
from mindfirl.services.review.disclosure.explaining import (
    Explanation,
    explain_weight,
    explanations_of,
)
from mindfirl.services.review.disclosure.opening import (
    Answer,
    assignment_of,
    meters_of,
    open_step,
    show_pairs,
)

__all__ = [
    "Answer",
    "Explanation",
    "assignment_of",
    "comment",
    "comments_of",
    "explain_weight",
    "explanations_of",
    "meters_of",
    "open_step",
    "show_pairs",
]
