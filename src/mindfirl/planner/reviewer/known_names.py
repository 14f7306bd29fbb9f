"""What people know about names: short forms, and spellings that sound alike."""

from __future__ import annotations

from typing import Final

from mindfirl.core.values.short_forms import SHORT_FORMS

_KNOWN: Final = frozenset(
    frozenset((name, short)) for name, forms in SHORT_FORMS.items() for short in forms.split()
)
_ENDINGS: Final = ("IE", "Y", "I", "")
_LEAST: Final = 2
_CODES: Final = {
    letter: code
    for code, letters in enumerate(("BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"), start=1)
    for letter in letters
}


def is_short_form(one: str, other: str) -> bool:
    """Say whether one name is used for the other: Bob for Robert, Fredie for Frederic, F for Fred.

    A stem of the longer name, alone or with an ending of endearment, is a short form of it.
    """
    first, second = one.upper(), other.upper()
    if frozenset((first, second)) in _KNOWN:
        return True
    short, long = sorted((first, second), key=len)
    if long.startswith(short):
        return bool(short)
    return _is_stem(first, second) or _is_stem(second, first)


def _is_stem(short: str, name: str) -> bool:
    """Say whether a name begins with a short one without its ending; Katie is longer than Katy."""
    stems = (short.removesuffix(ending) for ending in _ENDINGS if short.endswith(ending))
    return any(len(stem) > _LEAST and name.startswith(stem) for stem in stems)


def sounds_like(one: str, other: str) -> bool:
    """Say whether two names sound alike: the same beginning, and the same consonants in a row."""
    return _sound(one) == _sound(other)


def _sound(name: str) -> tuple[str, tuple[int, ...]]:
    letters = [letter for letter in name.upper() if letter.isalpha()]
    codes = [_CODES.get(letter, 0) for letter in letters]
    heard = [
        code for code, before in zip(codes[1:], codes, strict=False) if code and code != before
    ]
    return "".join(letters[:1]), tuple(heard[:4])
