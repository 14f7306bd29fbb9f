"""People as one meets them, and how their records come to differ: what a reader recognises.

Some live together or are related. A record has nicknames, other spellings, slips of the keyboard,
a former address, a name before or after a marriage, or nothing where something should be.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any, Final, Literal

from mindfirl.core.values.short_forms import SHORT_FORMS
from mindfirl.synthetic.everyday_names import (
    SPELLINGS,
    EverydayNames,
    abbreviated,
    draw_telephone,
)
from mindfirl.synthetic.look_alikes import born_later
from mindfirl.synthetic.slips import JUNIOR, misdated, mistyped

Person = dict[str, Any]
"""What is true of a person; ``former`` is an earlier home, ``other_name`` a second surname."""

COLUMNS: Final = ("first_name", "last_name", "birth_date", "sex", "street", "town", "phone")

_FIRST_DAY: Final = date(1930, 1, 1)
_DAYS: Final = 56 * 365
_HOME: Final = ("street", "town", "phone")

Kinship = Literal["none", "couple", "twins", "siblings", "parent and child", "namesakes"]
_KINSHIPS: Final[dict[Kinship, float]] = {
    "none": 0.58,
    "couple": 0.14,
    "siblings": 0.1,
    "parent and child": 0.08,
    "twins": 0.05,
    "namesakes": 0.05,
}
_YEARS_OLDER: Final[dict[Kinship, tuple[int, int]]] = {
    "siblings": (1, 7),
    "parent and child": (20, 38),
    "namesakes": (20, 38),
}
_COUPLES_APART: Final = 6 * 365
_MARRIED: Final = 0.4
_OWN_TELEPHONE: Final = 0.6
_WRITTEN_JUNIOR: Final = 0.6
_INITIAL: Final = 1
_OFTEN: Final = 0.5
"""How often a household has one sex, twins begin alike, and the like: even odds."""


def draw_everyday_people(size: int, dice: Random) -> list[Person]:
    """Draw this many people, one after the other; relatives are next to each other."""
    names = EverydayNames()
    people: list[Person] = []
    while len(people) < size:
        one = _draw_person(names, dice)
        kinship = dice.choices(list(_KINSHIPS), list(_KINSHIPS.values()))[0]
        people += [one] if kinship == "none" else [one, _related(one, kinship, names, dice)]
    return people[:size]


def _draw_person(names: EverydayNames, dice: Random) -> Person:
    sex = dice.choice("FM")
    born = _FIRST_DAY + timedelta(days=dice.randrange(_DAYS))
    married = sex == "F" and dice.random() < _MARRIED
    return {
        "first_name": names.first[sex].draw(dice),
        "last_name": names.last.draw(dice),
        "birth_date": born.strftime("%m/%d/%Y"),
        "sex": sex,
        **names.draw_home(dice),
        "former": names.draw_home(dice),
        "other_name": names.last.draw(dice) if married else None,
    }


def _related(one: Person, kinship: Kinship, names: EverydayNames, dice: Random) -> Person:
    other = _draw_person(names, dice)
    other |= {name: one[name] for name in ("last_name", "street", "town")}
    if dice.random() > _OWN_TELEPHONE:
        other["phone"] = one["phone"]
    if kinship == "twins":
        other["birth_date"] = one["birth_date"]
        if dice.random() < _OFTEN:
            other |= {"sex": one["sex"], "first_name": _alike(one, names, dice)}
    elif kinship == "couple":
        day = _day(one["birth_date"]) + timedelta(
            days=dice.randint(-_COUPLES_APART, _COUPLES_APART)
        )
        other["birth_date"] = day.strftime("%m/%d/%Y")
    else:
        years = dice.randint(*_YEARS_OLDER[kinship])
        other["birth_date"] = born_later(one["birth_date"], years, dice)
    if kinship == "namesakes":
        other |= {"first_name": one["first_name"], "sex": one["sex"]}
        if dice.random() < _WRITTEN_JUNIOR:
            other["last_name"] += JUNIOR
    return other


def _alike(one: Person, names: EverydayNames, dice: Random) -> str:
    """Draw a name that begins with the same letter, as the names of twins often do."""
    drawn = [names.first[one["sex"]].draw(dice) for _ in range(40)]
    fitting = [each for each in drawn if each[0] == one["first_name"][0]]
    return next((each for each in fitting if each != one["first_name"]), drawn[0])


def _day(written: str) -> date:
    month, day, year = (int(part) for part in written.split("/"))
    return date(year, month, day)


def written_down(person: Person, most: int, dice: Random) -> Person:
    """Write a person down with one to ``most`` things that are otherwise than in truth."""
    row = {name: person[name] for name in COLUMNS}
    kinds = dice.choices(list(_WAYS), list(_WAYS.values()), k=dice.randint(1, most)) if most else []
    for way in dict.fromkeys(kinds):
        way(row, person, dice)
    return row


def written_again(row: Person, dice: Random) -> Person:
    """Write the same record again, with another telephone number."""
    return {**row, "phone": draw_telephone(dice)}


def _call_short(row: Person, person: Person, dice: Random) -> None:
    forms = SHORT_FORMS.get(person["first_name"].upper(), "").split()
    row["first_name"] = dice.choice(forms).capitalize() if forms else person["first_name"][:1]


def _spell(row: Person, person: Person, dice: Random) -> None:
    named = [name for name in ("first_name", "last_name") if person[name] in SPELLINGS]
    if named:
        name = dice.choice(named)
        row[name] = dice.choice(SPELLINGS[person[name]])
    else:
        _mistype(row, person, dice)


def _mistype(row: Person, _person: Person, dice: Random) -> None:
    """Mistype a name but for its initial, a word of the street, or a digit of the telephone."""
    name = dice.choice(("first_name", "last_name", "last_name", "street", "phone"))
    text = row[name] or ""
    start = {"street": text.find(" ") + _INITIAL, "phone": text.rfind("-")}.get(name, 0) + _INITIAL
    end = text.rfind(" ") if name == "street" else len(text)
    if end - start > _INITIAL:
        wrong = mistyped(dice, text[start:end], of_any_length=name != "phone") or ""
        row[name] = text[:start] + wrong + text[end:]


def _misdate(row: Person, _person: Person, dice: Random) -> None:
    if row["birth_date"]:
        row["birth_date"] = misdated(dice, row["birth_date"])


def _moved(row: Person, person: Person, dice: Random) -> None:
    row |= person["former"]
    if dice.random() < _OFTEN:
        row["phone"] = person["phone"]


def _otherwise_named(row: Person, person: Person, dice: Random) -> None:
    other = person["other_name"]
    if other:
        row["last_name"] = dice.choice([other, f"{person['last_name']}-{other}"])


def _other_telephone(row: Person, _person: Person, dice: Random) -> None:
    row["phone"] = draw_telephone(dice)


def _shorten_street(row: Person, _person: Person, _dice: Random) -> None:
    row["street"] = row["street"] and abbreviated(row["street"])


def _leave_out(row: Person, _person: Person, dice: Random) -> None:
    row[dice.choice(("birth_date", "street", "phone", "phone", "first_name"))] = None


def _exchange_names(row: Person, _person: Person, _dice: Random) -> None:
    row["first_name"], row["last_name"] = row["last_name"], row["first_name"]


def _drop_junior(row: Person, _person: Person, _dice: Random) -> None:
    row["last_name"] = row["last_name"] and row["last_name"].removesuffix(JUNIOR)


_WAYS: Final[dict[Callable[[Person, Person, Random], None], int]] = {
    _call_short: 22,
    _spell: 16,
    _mistype: 20,
    _misdate: 14,
    _moved: 18,
    _otherwise_named: 12,
    _other_telephone: 12,
    _shorten_street: 8,
    _leave_out: 20,
    _exchange_names: 3,
    _drop_junior: 6,
}
