"""Words, numbers and dates of a value in a text, however they are written there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, permutations, product
from typing import Final
from unicodedata import normalize

from mindfirl.core.traces.disguises import Words, disguises_word
from mindfirl.core.traces.normal_form import (
    LEAST_DIGITS,
    LEAST_LETTERS,
    LONGEST_STANDALONE,
    Thresholds,
    pieces,
    runs,
)

_DENSE: Final = range(0x2E80, 0xD7B0)
"""The scripts that do not separate words by spaces, and of which two letters make a name."""


def read_words(normal: str) -> Words:
    """Take a text in normal form apart."""
    found = pieces(normal)
    return Words(found, runs(normal), "".join(found))


def words_of(normal: str, limits: Thresholds, *, whole: bool) -> Iterator[str]:
    """Return the words of a value that must not be repeated: each, with digits, all together."""
    value = read_words(normal)
    for name in value.pieces:
        if _is_long(name, limits) and (name not in limits.particles or len(value.pieces) == 1):
            yield name
    for run in (*value.runs, value.joined):
        if len(run) >= limits.mixed and (limits.fragments or not run.isdigit()):
            yield run
    if limits.fragments and whole and value.joined:
        yield value.joined


def repeats_word(spellings: Sequence[Words], words: Collection[str], limits: Thresholds) -> bool:
    """Say whether a text repeats one of the words, in one of its spellings."""
    if any(_repeats(text, words, limits) for text in spellings):
        return True
    return limits.disguises and any(disguises_word(text, words) for text in spellings)


def _repeats(text: Words, words: Collection[str], limits: Thresholds) -> bool:
    near = {word for word in words if word in text.joined}
    return bool(near) and (
        any(_repeats_one(text, word, limits) for word in near)
        or any(_is_two(run, near) for run in text.runs)
    )


def _repeats_one(text: Words, word: str, limits: Thresholds) -> bool:
    """Say whether a text repeats a word, whose letters are in it one after the other."""
    if word in text.pieces or word in text.runs:
        return True
    if limits.across is not None and len(normalize("NFD", word)) >= limits.across:
        return True  # a Korean syllable is two or three letters
    if (len(word) >= limits.inside or _is_dense(word)) and any(word in run for run in text.runs):
        return True
    starts = (place for place, piece in enumerate(text.pieces) if word.startswith(piece))
    return any(_is_in_pieces(word, text.pieces, start, limits) for start in starts)


def _is_in_pieces(word: str, several: Sequence[str], start: int, limits: Thresholds) -> bool:
    together, longest = "", 0
    for piece in several[start:]:
        together += piece
        longest = max(longest, len(piece))
        if together == word:
            return len(word) >= limits.in_pieces or longest == 1 or any(map(str.isdigit, word))
        if not word.startswith(together):
            break
    return False


def _is_two(run: str, words: Collection[str]) -> bool:
    return any(run[:end] in words and run[end:] in words for end in range(1, len(run)))


def _is_long(name: str, limits: Thresholds) -> bool:
    return not name.isdigit() and (
        len(name) >= LEAST_LETTERS or (len(name) >= limits.dense and _is_dense(name))
    )


def _is_dense(name: str) -> bool:
    return any(ord(letter) in _DENSE for letter in name)


_CHAIN: Final = re.compile("[0-9][0-9 .-]*")
_WITHIN: Final = re.compile("[.-]")
_NOT_DIGITS: Final = re.compile("[^0-9]")
_GROUP: Final = re.compile(r"(?<![0-9])(?<![0-9]\.)[0-9]{5,6}(?![0-9])(?!\.[0-9])")
"""Digits that stand alone although a hyphen or slash joins others to them; years are shorter."""
_NO_CENTS: Final = re.compile(r"(?<=[0-9])\.0(?![0-9])")


def standalone_numbers(normal: str) -> frozenset[str]:
    """Return the numbers of four to six digits that stand alone, also without leading zeros."""
    chains = (_WITHIN.sub("", each).split() for each in _chains(_NO_CENTS.sub("", normal)))
    return frozenset(chain.from_iterable(map(_standalone, chains))).union(_GROUP.findall(normal))


def digits_in(normal: str) -> str:
    """Return the digits that no letter divides, whatever else is between them; then an x.

    12345.0 counts as 12345, as a spreadsheet writes it, and as 123450.
    """
    chains = [*_chains(normal), *_chains(_NO_CENTS.sub("", normal))]
    return "x".join(dict.fromkeys(_NOT_DIGITS.sub("", each) for each in chains))


def whole_numbers(normal: str) -> Iterator[str]:
    """Return the numbers of a value: all digits together, and each number by itself."""
    for digits in _chains(_NO_CENTS.sub("", normal)):
        parts = re.findall("[0-9]+", digits)
        for number in ("".join(parts), *parts):
            yield from (each for each in (number, number.lstrip("0")) if len(each) >= LEAST_DIGITS)


def parts_of_numbers(normal: str) -> Iterator[str]:
    """Return any four digits in a row of the numbers of a value."""
    for each in _chains(normal):
        digits = _NOT_DIGITS.sub("", each)
        for start in range(len(digits) - LEAST_DIGITS + 1):
            yield digits[start : start + LEAST_DIGITS]


def _chains(normal: str) -> list[str]:
    return _CHAIN.findall(normal)


def _standalone(numbers: list[str]) -> Iterator[str]:
    for start, first in enumerate(numbers):
        yield from _of_length(first.lstrip("0"))
        together = ""
        for number in numbers[start:]:
            together += number
            if len(together) > LONGEST_STANDALONE:
                break
            yield from _of_length(together)
            yield from _of_length(together.lstrip("0"))


def _of_length(number: str) -> Iterator[str]:
    if LEAST_DIGITS <= len(number) <= LONGEST_STANDALONE:
        yield number


_MONTHS: Final = (
    "january february march april may june july august september october november december",
    "januar februar marz april mai juni juli august september oktober november dezember",
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "janner feber marz april mai juno julei august setiembre oktober november dezember",
)
"""In English, German, French, Spanish, Italian, Dutch, Portuguese; and some other spellings."""

_SHORTENED: Final = {"mrz": 3, "mrt": 3, "maerz": 3, "jaenner": 1}
_SHORTEST: Final = 3
_SHORT: Final = 2
_YEAR: Final = 4
_NEAR: Final = 4
"""How many words or numbers may be between the name of a month and its day or year."""
_GAP: Final = 3
"""How many characters may be between two numbers of a date."""
_WITH_TIME: Final = {12: 8, 14: 8}
"""Of this many digits, how many are a date if the others are a time."""

_PIECE: Final = re.compile("[0-9]+|[^0-9 .-]+")
_ORDINAL: Final = re.compile(r"(?<=[0-9])(?:st|nd|rd|th|er|eme|e|o|a)(?![^ .-])")


def _month_words() -> dict[str, frozenset[str]]:
    """Return the months that a word may mean: the names of months, and how they begin."""
    found: dict[str, set[str]] = {word: {f"{month:02}"} for word, month in _SHORTENED.items()}
    for names in _MONTHS:
        for month, name in enumerate(names.split(), start=1):
            for length in range(_SHORTEST, len(name) + 1):
                found.setdefault(name[:length], set()).add(f"{month:02}")
    return {word: frozenset(months) for word, months in found.items()}


def _cuts() -> dict[int, list[tuple[int, int]]]:
    """Say where digits without separators can be cut into three parts of a date."""
    found: dict[int, list[tuple[int, int]]] = {}
    for first, second, third in product((1, 2, 4), repeat=3):
        if (first, second, third).count(_YEAR) <= 1 and first + second + third > _YEAR:
            found.setdefault(first + second + third, []).append((first, first + second))
    return found


_MONTH_WORDS: Final = _month_words()
_CUTS: Final = _cuts()


def days_in(normal: str) -> frozenset[str]:
    """Return the days, and months of a year, that a text in normal form may name.

    A day is given as ``1964-08-09``, as ``64-08-09`` where the text leaves the century out, or as
    ``--08-09`` where it leaves out the year; a month of a year as ``1964-08``. A text that can be
    read in several ways gives all of them, even dates that do not exist: they are only compared
    with the dates of one person.
    """
    found: set[str] = set()
    pieces = list(_PIECE.finditer(_ORDINAL.sub(" ", normal)))
    for place, piece in enumerate(pieces):
        word = piece[0]
        if word in _MONTH_WORDS:
            found.update(_named(_MONTH_WORDS[word], _numbers_near(pieces, place)))
        elif word.isdigit():
            found.update(_written_together(word[: _WITH_TIME.get(len(word))]))
            found.update(_in_parts(_following(pieces, place)))
    return frozenset(found)


def days_of(parts: Sequence[str], *, fragments: bool) -> Iterator[str]:
    """Return the days that must not be named of a date, given as year, month and day, or fewer.

    Fragments are its month without the day, and its day and month without the year. A year by
    itself is none.
    """
    lengths = tuple(map(len, parts))
    if lengths == (_YEAR, _SHORT, _SHORT):
        yield from ("-".join(parts), "-".join(parts)[2:])
    if lengths == (_YEAR, _SHORT) or (fragments and lengths == (_YEAR, _SHORT, _SHORT)):
        yield "-".join(parts[:2])
    if fragments and lengths[-2:] == (_SHORT, _SHORT):
        yield f"--{parts[-2]}-{parts[-1]}"


def date_digits(parts: Sequence[str]) -> Iterator[str]:
    """Return the digits of a date in any order of its parts: 1964 or 64, 08 or 8."""
    for order in permutations("".join(filter(str.isdigit, part)) for part in parts):
        for digits in map("".join, product(*map(_shortened, order))):
            if len(digits) >= LEAST_DIGITS:
                yield digits


def _shortened(part: str) -> tuple[str, ...]:
    return (part, part[2:]) if len(part) == _YEAR else (part, part.lstrip("0"))


def _numbers_near(pieces: list[re.Match[str]], place: int) -> list[str]:
    near = pieces[max(place - _NEAR, 0) : place + _NEAR + 1]
    return [each[0] for each in near if each[0].isdigit()]


def _following(pieces: list[re.Match[str]], place: int) -> list[str]:
    """Return a number and the two behind it, as far as little is between them."""
    found = [pieces[place][0]]
    for before, after in zip(pieces[place:], pieces[place + 1 : place + 3], strict=False):
        if not after[0].isdigit() or after.start() - before.end() > _GAP:
            break
        found.append(after[0])
    return found


def _named(months: Iterable[str], numbers: list[str]) -> Iterator[str]:
    for month in months:
        yield from (f"{year}-{month}" for year in numbers if len(year) == _YEAR)
        yield from (f"--{month}-{day:0>2}" for day in numbers if len(day) <= _SHORT)
        for day, year in permutations(numbers, 2):
            if len(day) <= _SHORT and len(year) in (_SHORT, _YEAR):
                yield f"{year}-{month}-{day:0>2}"


def _in_parts(parts: list[str]) -> Iterator[str]:
    for year, month in permutations(parts[:2], 2):
        if len(year) == _YEAR and len(month) <= _SHORT:
            yield f"{year}-{month:0>2}"
    for year, month, day in permutations(parts, 3):
        if len(year) in (_SHORT, _YEAR) and len(month) <= _SHORT and len(day) <= _SHORT:
            yield f"{year}-{month:0>2}-{day:0>2}"


def _written_together(digits: str) -> Iterator[str]:
    """Read digits that nothing parts as a day, or as a month of a year."""
    if len(digits) == _YEAR + _SHORT:
        yield from (f"{digits[:4]}-{digits[4:]}", f"{digits[2:]}-{digits[:2]}")
    for first, second in _CUTS.get(len(digits), ()):
        yield from _in_parts([digits[:first], digits[first:second], digits[second:]])
