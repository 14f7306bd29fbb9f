"""Comments on a pair: what may stand in them.

A comment goes to others, who have not opened what its writer has. So it must not repeat a word or
a number that is visible to the writer in that pair. It is never held against what is hidden: who
writes guesses would learn which of them are right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, permutations, product
from typing import Final
from unicodedata import category, decimal, normalize

from mindfirl.core.display.cells import SEPARATOR, Sign
from mindfirl.core.errors import CommentRepeats, SettingError

LONGEST: Final = 500
"""How many characters a comment may have."""

_WORD: Final = 3
"""Shorter words count only where they are all of a value."""

_INSIDE: Final = 4
"""Words of this length are also found inside of others, shorter ones are not: Sam, same."""

_ANYWHERE: Final = 6
"""Words of this length are also found across others, whatever is put between their letters."""

_DIGITS: Final = 4
"""So many digits in a row tell a part of a number, or a year."""

_YEAR: Final = 4
_BREAKS: Final = ("Z", "P", "S", "C")
_PRIVATE: Final = "Co"
_OTHER_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ŧ": "t"}
)
"""Letters with a stroke and the like, which Unicode does not take for a letter and an accent."""


def written(words: str) -> str:
    """Return a comment as it is kept; one that is too long is refused."""
    kept = normalize("NFC", words.replace("\r\n", "\n")).strip()
    if len(kept) > LONGEST:
        raise SettingError(f"A comment has {LONGEST} characters at most. Say it in fewer.")
    return kept


def check_comment(words: str, rows: Iterable[Sequence[Sign]]) -> None:
    """Refuse a comment that repeats what rows of a pair show."""
    if repeated(words, rows):
        raise CommentRepeats


def repeated(words: str, rows: Iterable[Sequence[Sign]]) -> bool:
    """Say whether a text holds a word or number that rows show, however it is written."""
    runs = [run for row in rows for run in _runs(row)]
    return _has_word(_words(words), _shown_words(runs)) or _has_number(words, runs)


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring characters that are visible; of a date, in its parts."""

    parts: tuple[str, ...]
    whole: bool

    @property
    def text(self) -> str:
        return "".join(self.parts)


def _runs(row: Sequence[Sign]) -> Iterator[_Run]:
    """Return what of a row is visible; what separates parts of a date does not end a run."""
    parts, hidden = [""], False
    ended: list[tuple[str, ...]] = []
    for sign in row:
        if sign.shown:
            parts[-1] += sign.text
        elif sign.text == SEPARATOR:
            parts.append("")
        else:
            ended.append(tuple(parts))
            parts, hidden = [""], True
    for found in (*ended, tuple(parts)):
        if any(found):
            yield _Run(tuple(filter(None, found)), whole=not hidden)


def _shown_words(runs: Iterable[_Run]) -> frozenset[str]:
    """Return the words that must not be repeated: those of a run, and all of it together."""
    found: set[str] = set()
    for run in runs:
        words = _words(run.text)
        together = "".join(words)
        found.update(word for word in words if len(word) >= _WORD)
        if len(together) >= _WORD or (run.whole and together):
            found.add(together)
    return frozenset(found)


def _has_word(words: Sequence[str], shown: frozenset[str]) -> bool:
    """Say whether words hold a shown one: as it is, in pieces, inside of one, or two in one."""
    longest = max(map(len, shown), default=0)
    pieces = chain.from_iterable(_joined(words[start:], longest) for start in range(len(words)))
    if any(piece in shown for piece in pieces) or any(_two(word, shown) for word in words):
        return True
    together = "".join(words)
    return any(
        (len(each) >= _ANYWHERE and each in together)
        or (len(each) >= _INSIDE and any(each in word for word in words))
        for each in shown
    )


def _two(word: str, shown: frozenset[str]) -> bool:
    """Say whether a word is two shown ones that are written together."""
    return any(word[:end] in shown and word[end:] in shown for end in range(1, len(word)))


def _joined(words: Sequence[str], longest: int) -> Iterator[str]:
    """Return the first word, the first two together, and so on, up to a length."""
    together = ""
    for word in words:
        together += word
        if len(together) > longest:
            return
        yield together


def _has_number(words: str, runs: Iterable[_Run]) -> bool:
    """Say whether a text holds so many digits of a number in a row, or a date in any order."""
    forms = {form for run in runs for form in _digits_of(run)}
    return any(form in number for number in _numbers(words) for form in forms)


def _digits_of(run: _Run) -> Iterator[str]:
    """Return all digits that must not be repeated: any four in a row, a date however written."""
    for number in _numbers(run.text):
        for start in range(len(number) - _DIGITS + 1):
            yield number[start : start + _DIGITS]
    parts = [_numbers(part) for part in run.parts]
    if len(parts) > 1:
        for order in permutations("".join(part) for part in parts):
            for form in map("".join, product(*map(_shorter, order))):
                if len(form) >= _DIGITS:
                    yield form


def _shorter(part: str) -> tuple[str, ...]:
    """Return a part of a date as it can be written: 08 or 8, 1964 or 64."""
    return (part, part[2:]) if len(part) == _YEAR else (part, part.lstrip("0"))


def _numbers(text: str) -> list[str]:
    """Return the digits of a text that no letter parts, without what stands between them."""
    spaced = re.sub(r"[^0-9]", lambda found: "" if _parts(found[0]) else "x", _plain(text))
    return [each for each in spaced.split("x") if each]


def _words(text: str) -> list[str]:
    """Return the words of a text: letters and digits that nothing parts."""
    spaced = "".join(" " if _parts(each) else each for each in _plain(text))
    return spaced.split()


def _parts(character: str) -> bool:
    """Say whether a character parts words."""
    kind = category(character)
    return kind[0] in _BREAKS and kind != _PRIVATE


def _plain(text: str) -> str:
    """Return a text in small letters without accents, in the usual forms of letters and digits."""
    folded = normalize("NFKD", normalize("NFKD", text).casefold()).translate(_OTHER_LETTERS)
    kept = (each for each in folded if category(each)[0] != "M")
    return "".join(each if (value := decimal(each, None)) is None else str(value) for each in kept)
