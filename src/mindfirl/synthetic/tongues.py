"""Syllables of several languages, from which names are made up, with their accents.

The names sound like those of a country; all are put together by chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

from mindfirl.synthetic.individuals import make_names

Sex = Literal["F", "M"]


@dataclass(frozen=True, slots=True)
class Tongue:
    """What the names of a language are made of; words are separated by spaces, ``_`` is nothing."""

    onsets: str
    vowels: str
    codas: str
    first: Mapping[Sex, str]
    last: str
    particles: tuple[str, ...] = ()
    last_names: int = 2_500
    surnames: int = 1
    """How many surnames a person has."""


TONGUES: Final = {
    "english": Tongue(
        "b br c ch d f g gr h j k l m n p r s sh st t th tr w",
        "a e i o u ai ea y",
        "_ _ l n r s t nd ll m ck",
        {"F": "a y ie elle ine", "M": "_ _ o an el in"},
        "_ _ son er man ton ley by ford",
        ("O'", "Mc"),
    ),
    "german": Tongue(
        "b d f g h j k kl kr l m n r sch st t w z",
        "a e i o u ä ö ü ei au ie",
        "_ n r l lt nd rt ch ck",
        {"F": "a e ine traud hild", "M": "_ bert fried mar win"},
        "mann er ke ßler hardt feld _",
        ("von ",),
    ),
    "french": Tongue(
        "b ch d f g j l m n p r s t v",
        "a é è i o ou oi au ê",
        "_ _ l n r s",
        {"F": "ette ène ie ée", "M": "_ ien ard éric"},
        "eau ier ault çon et and",
        ("de ", "de la ", "Le "),
    ),
    "spanish": Tongue(
        "b c ch d f g j l m n p r s t v",
        "a e i o u á é í",
        "_ _ n r s l",
        {"F": "a ita ía", "M": "o án io"},
        "ez ado íguez uña ero al",
        ("de ",),
        surnames=2,
    ),
    "polish": Tongue(
        "b cz d g k kr ł m n p r rz s sz w z ż",
        "a e i o u y ą ę ó",
        "_ _ k l n r ś",
        {"F": "a yna ia", "M": "sław ek usz"},
        "wicz ak czyk iński ek",
    ),
    "turkish": Tongue(
        "b c ç d g h k m n s ş t y z",
        "a e ı i o ö u ü",
        "_ l n r k ğ",
        {"F": "e nur gül", "M": "_ han can at"},
        "oğlu er ay ış dem",
    ),
    "nordic": Tongue(
        "b d f g h j k l m n r s sk st t v",
        "a e i o u å ä ö ø y",
        "_ l n r rg nd",
        {"F": "a e hild unn", "M": "_ ar ulf ik"},
        "sen sson gård ström lund ås",
    ),
    "short": Tongue(
        "b ch d h k kh l m n ng ph s t th tr v x",
        "a ă â e ê i o ô ơ u ư y",
        "_ n ng m nh",
        {"F": "_ i a", "M": "_ g h"},
        "_",
        last_names=40,
    ),
}
"""``short`` has few surnames: many people share all of their name."""

_FIRST_NAMES: Final = 300
_MORE_SHORT_NAMES: Final = "o a i y"


@dataclass(frozen=True, slots=True)
class NamePool:
    """The names of a language, common ones first, and what people call those of a first name."""

    first: Mapping[Sex, tuple[str, ...]]
    last: tuple[str, ...]
    called: Mapping[str, str]


def make_pool(tongue: Tongue, dice: Random) -> NamePool:
    syllable = (_parts(tongue.onsets), _parts(tongue.vowels), _parts(tongue.codas))
    first = {
        sex: tuple(make_names(dice, _FIRST_NAMES, _parts(endings), syllable))
        for sex, endings in tongue.first.items()
    }
    everyone = [*first["F"], *first["M"]]
    short = make_names(dice, len(everyone), _parts(_MORE_SHORT_NAMES), syllable[:2])
    last = make_names(dice, tongue.last_names, _parts(tongue.last), syllable)
    return NamePool(first, tuple(last), dict(zip(everyone, short, strict=True)))


def _parts(words: str) -> list[str]:
    return [word.replace("_", "") for word in words.split()]
