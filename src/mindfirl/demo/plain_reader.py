"""How somebody reads a pair: by the marks and by what is open, as the guidance tells.

A reader weighs what agrees and what differs, knows nicknames and spellings, and is a little unsure
of all of it: near even odds people come to different answers, on a clear pair they do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from random import Random
from typing import Final

from mindfirl.core.display.cells import Sign
from mindfirl.core.display.compare import Relation
from mindfirl.core.review.decisions import CANNOT_TELL, VERDICTS, Decision, Reason
from mindfirl.core.review.shown_pair import Offer, ShownCell, ShownPair
from mindfirl.planner.reviewer.known_names import is_short_form, sounds_like

PairOfRecords = tuple[int, int]

_START: Final = -5.5
"""What speaks against one person before anything is compared."""
_WORTH: Final = {
    "first_name": (2.5, -3.0),
    "last_name": (3.0, -2.5),
    "birth_date": (5.0, -4.5),
    "sex": (0.3, -3.0),
    "street": (3.5, -0.8),
    "city": (1.0, -0.4),
    "phone": (4.0, -0.8),
}
"""What an attribute adds where it agrees, and where it differs."""
_USUAL: Final = (2.0, -1.5)
_TURNED: Final = 0.8
_SLIP: Final = 0.6
_CLOSE: Final = 0.25
_READS_ALIKE: Final = 0.7
_ALIKE: Final = 0.75
"""How much of its worth a cell keeps that was exchanged, transposed, or is nearly the same."""

_ANOTHER_NAME: Final = 3.0
"""How much more a first name tells that was read, and is another one: twins share all the rest."""
_GENERATION: Final = 15
_ANOTHER_GENERATION: Final = 2.0
"""How much more birth dates tell that are this many years apart: of a father and his son."""
_NAMES: Final = ("first_name", "last_name")
_SURELY: Final = 5.0
_PROBABLY: Final = 2.0
_CLEAR: Final = 3.2
"""Beyond this nothing has to be opened."""
_NOTHING: Final = 0.35
_DIFFERING: Final = 0.25
"""People err by this share of what chance alone would make them differ: κ is about 0.8."""
_HARD: Final = 3.5
"""Up to this much speaks for one answer where the other one is given."""
_LITTLE: Final = 3
_LEAST_PRICE: Final = 0.002
_UNKNOWN: Final = frozenset({Relation.MISSING.value})
_SETTLED: Final = frozenset({Relation.IDENTICAL.value, Relation.MISSING.value})
"""Cells with these marks tell nothing more when they are open."""


@dataclass(slots=True)
class Lapses:
    """When people err: so often that they agree as people do, on hard pairs, and never all of them.

    Everybody owes errors by how often chance alone would make two people differ. Thrown one by
    one, they would make the agreement another one every time. All decide the ``shared`` pairs.
    """

    people: int
    shared: Collection[PairOfRecords]
    owed: dict[str, float] = field(default_factory=dict)
    seen: Counter[bool] = field(default_factory=lambda: Counter((True, False)))
    """How many of the pairs look like one person, and how many do not."""
    misled: set[PairOfRecords] = field(default_factory=set)

    def errs_on(self, who: str, pair: PairOfRecords, clear: float) -> bool:
        if pair not in self.shared:
            return False
        self.seen[clear > 0] += 1
        by_chance = 2 * self.seen[True] * self.seen[False] / self.seen.total() ** 2
        self.owed[who] = self.owed.get(who, 0.5) + _DIFFERING * by_chance / self.people
        if self.owed[who] < 1 or abs(clear) > _HARD or pair in self.misled:
            return False
        self.owed[who] -= 1
        self.misled.add(pair)
        return True


@dataclass(frozen=True, slots=True)
class PlainReader:
    """``unsure`` is how much a feeling strays as a rule; ``dearest`` the most a step may take."""

    dice: Random
    unsure: float
    dearest: float
    steps: int

    def next_step(self, pair: ShownPair) -> tuple[ShownCell, Offer] | None:
        """Choose what to open: what may tell most for its price; nothing where a pair is clear."""
        if abs(weigh(pair)) > _CLEAR:
            return None
        steps = [
            (_swing(cell) / (float(step.takes) + _LEAST_PRICE), cell, step)
            for cell in pair.cells
            for step in cell.steps
            if step.affordable and step.takes is not None and 0 < step.takes <= self.dearest
            if not _SETTLED & set(cell.marks)
        ]
        return max(steps, key=lambda each: each[0])[1:] if steps else None

    def decide(self, pair: ShownPair, *, errs: bool = False) -> Decision:
        """Say what is felt of a pair; nobody is sure of what is not clear, or of an error."""
        clear = weigh(pair)
        felt = abs(clear) + max(-2.0, min(2.0, self.dice.gauss(0, 1))) * self.unsure
        if felt < _NOTHING:
            return Decision(CANNOT_TELL, "bad data" if _gaps(pair) >= _LITTLE else _doubt(pair))
        if felt >= _SURELY and abs(clear) >= _PROBABLY:
            sureness = 0
        else:
            sureness = 1 if felt >= _PROBABLY else 2
        return Decision(VERDICTS[5 - sureness if (clear > 0) is not errs else sureness])


def weigh(pair: ShownPair) -> float:
    """Add up what the cells of a pair say, as they are seen: above 0 for one person."""
    turned = _TURNED * _READS_ALIKE
    read = _read_crosswise(pair)
    says = (_worth(cell)[0] * turned if cell in read else _says(cell) for cell in pair.cells)
    return _START + sum(says)


def _read_crosswise(pair: ShownPair) -> list[ShownCell]:
    """Return the names of a pair if they are open, and nearly each other's on the other row."""
    names = [cell for cell in pair.cells if cell.attribute in _NAMES and _is_open(cell)]
    if len(names) != len(_NAMES):
        return []
    (first, second), (third, fourth) = ([_text(row) for row in cell.rows] for cell in names)
    return names if _alike(first, fourth) and _alike(second, third) else []


def _worth(cell: ShownCell) -> tuple[float, float]:
    return _WORTH.get(cell.attribute, _USUAL)


def _swing(cell: ShownCell) -> float:
    agrees, differs = _worth(cell)
    return agrees - differs


def _says(cell: ShownCell) -> float:
    agrees, differs = _worth(cell)
    marks = set(cell.marks)
    if marks & _UNKNOWN:
        return 0.0
    if Relation.IDENTICAL.value in marks:
        return agrees
    if Relation.SWAPPED.value in marks:
        return agrees * _TURNED
    if _is_open(cell):
        return _reads(cell)
    if marks & {"transposition", "exchange"}:
        return agrees * _SLIP
    return differs if Relation.DIFFERENT.value in marks else agrees * _CLOSE


def _reads(cell: ShownCell) -> float:
    """Weigh two open values that differ by whether they read like one."""
    agrees, differs = _worth(cell)
    if _reads_alike(cell):
        return agrees * _READS_ALIKE
    if _years_apart(cell) >= _GENERATION:
        return differs * _ANOTHER_GENERATION
    return differs * (_ANOTHER_NAME if cell.attribute == "first_name" else 1.0)


def _reads_alike(cell: ShownCell) -> bool:
    if _years_apart(cell) >= _GENERATION:
        return False
    first, second = (_text(row) for row in cell.rows)
    if cell.attribute == "first_name" and is_short_form(first, second):
        return True
    return _alike(first, second) or (cell.attribute in _NAMES and sounds_like(first, second))


def _years_apart(cell: ShownCell) -> int:
    """Return how far two birth dates that are open are apart; of one day, the year is a slip."""
    if cell.attribute != "birth_date":
        return 0
    (day, year), (other_day, other_year) = ((_text(row)[:-4], _text(row)[-4:]) for row in cell.rows)
    dates = day != other_day and (year + other_year).isdigit()
    return abs(int(year) - int(other_year)) if dates else 0


def _is_open(cell: ShownCell) -> bool:
    return all(any(sign.shown for sign in row) for row in cell.rows)


def _alike(first: str, second: str) -> bool:
    return SequenceMatcher(None, first, second).ratio() >= _ALIKE


def _text(row: tuple[Sign, ...]) -> str:
    return "".join(sign.text for sign in row)


def _gaps(pair: ShownPair) -> int:
    return sum(Relation.MISSING.value in cell.marks for cell in pair.cells)


def _doubt(pair: ShownPair) -> Reason:
    """Take two people of one birth for twins; leave what else cannot be told to an expert."""
    marks = {cell.attribute: set(cell.marks) for cell in pair.cells}
    born = Relation.IDENTICAL.value in marks.get("birth_date", set())
    named = Relation.IDENTICAL.value in marks.get("first_name", set())
    return "twins" if born and not named else "needs expert"
