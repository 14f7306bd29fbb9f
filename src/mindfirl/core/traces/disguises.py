"""Words passed on in a simple disguise: reversed, one letter replaced, split by another word."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_LEAST_REVERSED: Final = 4
_LEAST_CHANGED: Final = 6
"""Shorter words have neighbours among everyday words: names and James, other and Olher."""
_LOOK_ALIKES: Final = (
    str.maketrans("013457", "oleast"),
    str.maketrans("013457", "oieast"),
)
"""Digits that people write for letters."""


@dataclass(frozen=True, slots=True, repr=False)
class Words:
    """One spelling of a text: letters or digits alone, both together, and all of it together."""

    pieces: Sequence[str]
    runs: Sequence[str]
    joined: str


def disguises_word(text: Words, words: Collection[str]) -> bool:
    """Say whether a text has one of the words in a simple disguise."""
    wanted = {word for word in words if len(word) >= _LEAST_REVERSED and word.isalpha()}
    if not wanted:
        return False
    return any(
        form in wanted for form in (*_reversed(text), *_with_digits(text), *_split(text))
    ) or _is_changed(text, wanted)


def _reversed(text: Words) -> Iterator[str]:
    yield from (piece[::-1] for piece in text.pieces)


def _with_digits(text: Words) -> Iterator[str]:
    mixed = (run for run in text.runs if not run.isalpha() and not run.isdigit())
    yield from (run.translate(table) for run in mixed for table in _LOOK_ALIKES)


def _split(text: Words) -> Iterator[str]:
    """Return what would stand there without the word between two others."""
    for before, after in zip(text.pieces, text.pieces[2:], strict=False):
        if len(before) > 1 and len(after) > 1 and len(before) + len(after) >= _LEAST_CHANGED:
            yield before + after


def _is_changed(text: Words, wanted: Collection[str]) -> bool:
    """Say whether a word of the text differs from one of those wanted in a single letter."""
    long = {piece for piece in text.pieces if len(piece) >= _LEAST_CHANGED}
    lengths = {len(piece) for piece in long}
    patterns = {form for word in wanted if len(word) in lengths for form in _blanked(word)}
    return any(form in patterns for piece in long for form in _blanked(piece))


def _blanked(word: str) -> Iterator[tuple[int, str]]:
    return ((place, word[:place] + word[place + 1 :]) for place in range(len(word)))
