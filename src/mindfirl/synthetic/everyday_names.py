"""Names, towns, streets and telephone numbers as they are common in life.

Given names and surnames come from Faker, with its frequencies. Towns and streets have names that
occur everywhere, and telephone numbers begin with 555: they are nobody's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import Final

from faker.providers.person.en_US import Provider

_TOWNS: Final = (
    "Springfield", "Franklin", "Greenville", "Bristol", "Clinton", "Fairview", "Salem", "Madison",
    "Georgetown", "Arlington", "Ashland", "Dover", "Oxford", "Jackson", "Burlington",
    "Manchester", "Milton", "Newport", "Auburn", "Centerville", "Clayton", "Dayton", "Lexington",
    "Milford", "Riverside", "Cleveland", "Hudson", "Kingston", "Oakland", "Winchester", "Lebanon",
    "Marion", "Concord", "Plymouth", "Lancaster", "Richmond", "Chester", "Camden", "Bedford",
    "Windsor",
)  # fmt: skip
_STREETS: Final = (
    "Main", "Oak", "Maple", "Park", "Cedar", "Elm", "Washington", "Lake", "Hill", "Walnut",
    "Church", "Spring", "Highland", "Lincoln", "Jackson", "Franklin", "River", "Willow",
    "Jefferson", "Center", "Madison", "Chestnut", "Adams", "Sunset", "Meadow", "Forest", "Mill",
    "Cherry", "Ridge", "Pine", "Second", "Third", "Fourth", "Fifth", "Railroad", "School",
    "Prospect", "Locust", "Poplar", "Dogwood", "Birch", "Hickory", "Magnolia", "Laurel",
    "Orchard", "Valley", "Fairway", "College", "Front", "Water", "Market", "Monroe", "Grant",
    "Sycamore", "Summit", "Garden", "Union", "Court", "Green", "Hillcrest", "Woodland",
    "Lakeview",
)  # fmt: skip
_SUFFIXES: Final = {"Street": 9, "Avenue": 6, "Drive": 5, "Road": 5, "Lane": 4, "Court": 2}
_ABBREVIATED: Final = {
    "Street": "St", "Avenue": "Ave", "Drive": "Dr", "Road": "Rd", "Lane": "Ln", "Court": "Ct",
}  # fmt: skip
_HOUSES: Final = 999
_AREA_CODES: Final = ("201", "312", "404", "503", "617", "713", "816", "919")
_LINES: Final = 10_000

_SPELLINGS: Final = (
    "Catherine Katherine Kathryn Catharine", "Sarah Sara", "Steven Stephen", "Eric Erik Erick",
    "Brian Bryan", "Jeffrey Geoffrey Jeffery", "Jon John", "Ann Anne Anna", "Megan Meghan Meagan",
    "Kristen Kristin Kirsten", "Christine Kristine Christina", "Rebecca Rebekah", "Theresa Teresa",
    "Rachel Rachael", "Lindsay Lindsey", "Kelly Kelley", "Nicholas Nicolas", "Mathew Matthew",
    "Michael Micheal", "Sean Shawn Shaun", "Philip Phillip", "Marc Mark", "Allan Alan Allen",
    "Tracy Tracey", "Stacy Stacey", "Terry Terri", "Debra Deborah Debora", "Jenifer Jennifer",
    "Michelle Michele", "Gail Gayle", "Elisabeth Elizabeth", "Zachary Zachery Zackary",
    "Smith Smyth Smithe", "Johnson Johnston Jonson", "Clark Clarke", "Reed Reid Read",
    "Brown Browne", "Myers Meyers Meyer", "Thompson Thomson", "Stewart Stuart", "Gray Grey",
    "Davis Davies", "Phillips Philips", "Gonzalez Gonzales", "Hernandez Hernandes",
    "Rodriguez Rodrigues", "Peterson Petersen", "Nelson Nielsen", "Anderson Andersen",
    "Olson Olsen", "Bailey Baily Bayley", "Rogers Rodgers", "Snyder Snider", "Schmidt Schmitt",
    "Carr Karr", "Moore More", "Lee Leigh", "Green Greene", "Cook Cooke", "Allison Alison",
    "Hoffman Hoffmann", "Harris Harriss", "Mcdonald Macdonald", "Fisher Fischer", "Bryant Briant",
    "Perry Parry", "Lopez Lopes", "Martinez Martines", "Wallace Wallis", "Murray Murry",
    "White Whyte", "Pierce Pearce", "Burns Byrnes", "Simmons Simons", "Wolf Wolfe", "Hayes Hays",
)  # fmt: skip
"""Names that are written in several ways; any of them may be somebody's."""

SPELLINGS: Final[dict[str, list[str]]] = {
    name: [other for other in group.split() if other != name]
    for group in _SPELLINGS
    for name in group.split()
}


@dataclass(frozen=True, slots=True)
class Weighted:
    """Values that are drawn as often as their weights say."""

    values: Sequence[str]
    totals: Sequence[float]

    def draw(self, dice: Random) -> str:
        return dice.choices(self.values, cum_weights=self.totals)[0]


def weighted(weights: Mapping[str, float]) -> Weighted:
    ordered = sorted(weights.items())
    return Weighted(
        [name for name, _ in ordered], list(accumulate(weight for _, weight in ordered))
    )


@dataclass(frozen=True, slots=True)
class EverydayNames:
    """What people and places are called, each as often as in life."""

    first: Mapping[str, Weighted] = field(
        default_factory=lambda: {
            "F": weighted(Provider.first_names_female),
            "M": weighted(Provider.first_names_male),
        }
    )
    last: Weighted = field(default_factory=lambda: weighted(Provider.last_names))
    suffixes: Weighted = field(default_factory=lambda: weighted(_SUFFIXES))

    def draw_home(self, dice: Random) -> dict[str, str | None]:
        """Draw a street with a number, a town, and a telephone number."""
        name = dice.choice(_STREETS) if dice.random() < _PLAIN_STREET else self.last.draw(dice)
        return {
            "street": f"{dice.randint(1, _HOUSES)} {name} {self.suffixes.draw(dice)}",
            "town": _TOWNS[int(len(_TOWNS) * dice.random() ** 2)],
            "phone": draw_telephone(dice),
        }


_PLAIN_STREET: Final = 0.8
"""The share of streets that are not called after somebody."""


def draw_telephone(dice: Random) -> str:
    return f"{dice.choice(_AREA_CODES)}-555-{dice.randrange(_LINES):04}"


def abbreviated(street: str) -> str:
    """Write a street as people do who are in a hurry."""
    words = street.split()
    return " ".join([*words[:-1], _ABBREVIATED.get(words[-1], words[-1])])
