"""Words of a value in a text: as they are, inside others, in pieces, or two in one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

from mindfirl.core.traces.normal_form import pieces, runs
from mindfirl.core.traces.thresholds import LEAST_LETTERS, Thresholds

_DENSE: Final = range(0x2E80, 0xD7B0)
"""The scripts that do not separate words by spaces, and of which two letters make a name."""


@dataclass(frozen=True, slots=True, repr=False)
class Words:
    """One spelling of a text: letters or digits alone, both together, and all of it together."""

    pieces: Sequence[str]
    runs: Sequence[str]
    joined: str


def read_words(normal: str) -> Words:
    """Take a text in normal form apart."""
    found = pieces(normal)
    return Words(found, runs(normal), "".join(found))


def words_of(normal: str, limits: Thresholds, *, whole: bool) -> Iterator[str]:
    """Return the words that must not be repeated of a value, or of a part of one, in normal form.

    Those are its words, its words with digits among them, and all of it together.
    """
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
    return any(_repeats(text, words, limits) for text in spellings)


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
    """Say whether a run is two of the words, written together."""
    return any(run[:end] in words and run[end:] in words for end in range(1, len(run)))


def _is_long(name: str, limits: Thresholds) -> bool:
    return not name.isdigit() and (
        len(name) >= LEAST_LETTERS or (len(name) >= limits.dense and _is_dense(name))
    )


def _is_dense(name: str) -> bool:
    return any(ord(letter) in _DENSE for letter in name)
