"""How little of a value counts as repeating it: every threshold, with its reason.

Both uses search in the same way. They differ where the cost of a false alarm differs. A comment is
one short text by somebody who sees the value and can rephrase: a false alarm costs them a moment.
A release has millions of cells that nobody can rephrase: a false alarm costs a manager's time, and
many of them would make real findings invisible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LEAST_LETTERS: Final = 3
"""Shorter words (de, la, is) are part of any text."""

LEAST_DIGITS: Final = 4
"""Four digits tell a year or the end of an ID; three are an everyday quantity."""

LONGEST_STANDALONE: Final = 6
"""Whole numbers of up to this many digits must stand alone: amounts contain them by chance."""

# fmt: off
_PARTICLES: Final = frozenset({
    "and", "bin", "das", "del", "den", "der", "des", "dos", "ibn", "las", "los", "ten", "ter",
    "the", "und", "van", "vom", "von", "zum", "zur",
})
# fmt: on


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Lengths from which on a part of a value counts, for one use.

    ``inside``
        Letters of a word that is also found inside a longer one.
    ``in_pieces``
        Letters of a word that is also found as neighbouring words, put together. Words that are
        spelled letter by letter, and those with digits, are found at any length.
    ``across``
        Letters of a word that is also found across the ends of words; None: not searched for.
    ``mixed``
        Characters of a word that has digits in it.
    ``dense``
        Letters of a word in a script that does not separate words by spaces.
    ``particles``
        Parts of names that are not searched for by themselves.
    ``fragments``
        Whether parts of a value count, too: four digits of a number in a row, the month and day of
        a date, a number as if it were a word, and a whole value however short it is.
    """

    inside: int
    in_pieces: int
    across: int | None
    mixed: int
    dense: int
    particles: frozenset[str]
    fragments: bool


COMMENTS: Final = Thresholds(
    inside=4,  # not 3: Sam is in same, Ann in cannot
    in_pieces=1,  # "Ma ry" is somebody's way around the check
    across=6,  # not 5: shorter words arise by chance where two others meet
    mixed=LEAST_LETTERS,
    dense=1,  # each character that is visible may have been paid for
    particles=frozenset(),  # whoever writes sees the particle, and can leave it out
    fragments=True,  # a cell may be open in part, and others have not opened that part
)
"""What nobody may repeat of the cells that they have opened."""

RELEASES: Final = Thresholds(
    inside=5,  # not 4: Rosa is in rosacea, King in taking
    in_pieces=6,  # not 3: Ina is in "in a"
    across=None,  # Miller is in "mill era"
    mixed=4,  # half a Canadian postcode (K1A) is a district
    dense=2,  # one character of Chinese is a common word, two are a name
    particles=_PARTICLES,  # they are in many names and most texts
    fragments=False,  # amounts, codes and visit dates share parts with every ID and birth date
)
"""What must not be in the rows of a person in a file that leaves."""
