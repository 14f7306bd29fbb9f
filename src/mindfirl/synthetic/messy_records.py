"""How a person is written down: by another name, in another format, wrongly, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

from mindfirl.core.traces.normal_form import spellings
from mindfirl.synthetic.countries import Country, fill_pattern
from mindfirl.synthetic.individuals import Row
from mindfirl.synthetic.messy_people import Person
from mindfirl.synthetic.slips import misdated, misheard, mistyped

ErrorName = Literal["few", "many", "records"]


@dataclass(frozen=True, slots=True)
class ErrorModel:
    """How often values are wrong or missing, in most records and in ``dirty`` ones."""

    dirty: float
    wrong: tuple[float, float]
    missing: tuple[float, float]


ERROR_MODELS: Final[dict[ErrorName, ErrorModel]] = {
    "few": ErrorModel(dirty=0, wrong=(0.04, 0), missing=(0.04, 0)),
    "many": ErrorModel(dirty=0, wrong=(0.14, 0), missing=(0.12, 0)),
    "records": ErrorModel(dirty=0.25, wrong=(0.01, 0.4), missing=(0.02, 0.25)),
}

_OFTEN_MISSING: Final = {"last_name": 0.3, "sex": 0.5, "telephone": 2.0, "email": 2.0}
_RARELY_WRONG: Final = {"sex": 0.1}
"""How much more or less often than others a value is missing, or wrong."""

_NICKNAME: Final = 0.1
_INITIAL: Final = 0.03
_MIDDLE_NAME_WRITTEN: Final = 0.5
_ONE_SURNAME: Final = 0.3
_WITHOUT_ACCENTS: Final = 0.3
_CAPITALS: Final = 0.1
_NAMES_EXCHANGED: Final = 0.1
"""The share of wrong first names that are exchanged with the surname."""

_AREA: Final = 3


def write_record(person: Person, country: Country, model: ErrorModel, dice: Random) -> Row:
    """Write a person down, with the values that a record has; dates as month/day/year."""
    row = _in_other_words(_at_some_time(person, dice), country, dice)
    dirty = dice.random() < model.dirty
    wrong, missing = model.wrong[dirty], model.missing[dirty]
    for column, error in _ERRORS.items():
        if dice.random() < missing * _OFTEN_MISSING.get(column, 1.0):
            row[column] = None
        elif row[column] and dice.random() < wrong * _RARELY_WRONG.get(column, 1.0):
            error(dice, row, column)
    return row


def _at_some_time(person: Person, dice: Random) -> Person:
    """Return a person as of some day: before or after moving, before or after marrying."""
    former = person["former_home"] or {}
    maiden = {"last_name": person["maiden_name"]} if person["maiden_name"] else {}
    return {
        **person,
        **(former if dice.getrandbits(1) else {}),
        **(maiden if dice.getrandbits(1) else {}),
    }


def _in_other_words(person: Person, country: Country, dice: Random) -> Row:
    """Use nicknames, initials and the formats that a clerk is used to; nothing of it is wrong."""
    pattern = country.street if dice.getrandbits(1) else country.short_street
    number: str | None = person["telephone"]
    names = {
        "first_name": _called(person, dice),
        "middle_name": person["middle_name"] if dice.random() < _MIDDLE_NAME_WRITTEN else None,
        "last_name": _surname(person["last_name"], dice),
        "street": pattern.format(**person["house"]),
        "town": person["town"],
    }
    if dice.random() < _WITHOUT_ACCENTS:
        names = {name: text and _without_accents(text, dice) for name, text in names.items()}
    if dice.random() < _CAPITALS:
        names = {name: text and text.upper() for name, text in names.items()}
    return {
        **names,
        "birth_date": person["birth_date"],
        "sex": person["sex"],
        "postcode": dice.choice(_POSTCODE_FORMATS)(person["postcode"]),
        "telephone": number and dice.choice(_TELEPHONE_FORMATS)(number, country),
        "email": person["email"],
    }


def _called(person: Person, dice: Random) -> str:
    first: str = person["first_name"]
    chance = dice.random()
    if chance < _INITIAL:
        return first[0]
    return person["nickname"] if chance < _INITIAL + _NICKNAME else first


def _surname(name: str, dice: Random) -> str:
    """Leave out the second of two surnames, or a particle before the only one."""
    first, _, second = name.partition(" ")
    if not second or dice.random() >= _ONE_SURNAME:
        return name
    return second if first.islower() else first


def _without_accents(text: str, dice: Random) -> str:
    return dice.choice(spellings(text)).title()


_POSTCODE_FORMATS: Final[tuple[Callable[[str], str], ...]] = (
    str,
    str,
    lambda code: code.replace(" ", ""),
    str.lower,
)
_TELEPHONE_FORMATS: Final[tuple[Callable[[str, Country], str], ...]] = (
    lambda number, _: number,
    lambda number, _: f"{number[:4]} {number[4:]}",
    lambda number, _: f"({number[:4]}) {number[4:7]}-{number[7:]}",
    lambda number, country: f"+{country.prefix} {_dialled(number, country)}",
    lambda number, country: f"00{country.prefix}{_dialled(number, country)}",
)


def _dialled(number: str, country: Country) -> str:
    return number.removeprefix(country.trunk)


def _mistype_text(dice: Random, row: Row, column: str) -> None:
    row[column] = mistyped(dice, row[column], of_any_length=True)


def _mistype_code(dice: Random, row: Row, column: str) -> None:
    row[column] = mistyped(dice, row[column], of_any_length=False)


def _misspell(dice: Random, row: Row, column: str) -> None:
    respelled = misheard(dice, row[column])
    row[column] = (
        respelled if dice.getrandbits(1) else mistyped(dice, row[column], of_any_length=True)
    )


def _misspell_first_name(dice: Random, row: Row, column: str) -> None:
    if dice.random() < _NAMES_EXCHANGED:
        row["first_name"], row["last_name"] = row["last_name"], row["first_name"]
    else:
        _misspell(dice, row, column)


def _misdate(dice: Random, row: Row, column: str) -> None:
    row[column] = misdated(dice, row[column])


def _mistake_sex(dice: Random, row: Row, column: str) -> None:  # noqa: ARG001  # all are called alike
    row[column] = "M" if row[column] == "F" else "F"


def _give_other_number(dice: Random, row: Row, column: str) -> None:
    """Write another telephone number, at times of the same area."""
    kept = row[column][: dice.choice([0, _AREA])]
    row[column] = kept + fill_pattern("9" * (len(row[column]) - len(kept)), dice)


def _mistake_number(dice: Random, row: Row, column: str) -> None:
    dice.choice([_give_other_number, _mistype_code])(dice, row, column)


_ERRORS: Final[dict[str, Callable[[Random, Row, str], None]]] = {
    "first_name": _misspell_first_name,
    "last_name": _misspell,
    "birth_date": _misdate,
    "sex": _mistake_sex,
    "street": _mistype_text,
    "postcode": _mistype_code,
    "town": _misspell,
    "telephone": _mistake_number,
    "email": _mistype_text,
}
