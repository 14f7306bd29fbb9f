"""Pseudonyms that are known elsewhere: by any of them a row could be joined to something else.

Numbers that are kept as bytes are found as they are usually written: in hexadecimal digits, with or
without hyphens, or in base 64. Texts, such as record ids and the person numbers of other releases,
are found where they stand alone. A text of few digits is not sought, for any number might be one:
give the ids of a person's own records as identifying values of that person.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from mindfirl.core.traces.normal_form import joined, runs, spellings

_LEAST: Final = 4
_LEAST_DIGITS: Final = 8
_LEAST_BYTES: Final = 8
_WITHIN: Final = re.compile("[.-]")
_HEXADECIMAL: Final = re.compile("[0-9a-f]+")
_BASE_64: Final = re.compile("[A-Za-z0-9+/_-]+")


@dataclass(frozen=True, slots=True, repr=False)
class Pseudonyms:
    """What is known elsewhere, made ready to be asked for."""

    numbers: frozenset[bytes] = frozenset()
    words: frozenset[str] = frozenset()
    sizes: frozenset[int] = frozenset()

    def stand_in(self, text: str) -> bool:
        return (bool(self.words) and any(word in self.words for word in _words(text))) or (
            bool(self.numbers) and any(number in self.numbers for number in self._numbers(text))
        )

    def _numbers(self, text: str) -> Iterator[bytes]:
        """Return the bytes that a text may write, of the sizes that are sought."""
        for size in self.sizes:
            if len(text) * 3 < size * 4:
                continue
            for run in _HEXADECIMAL.findall(text.lower().replace("-", "")):
                for start in range(len(run) - 2 * size + 1):
                    yield bytes.fromhex(run[start : start + 2 * size])
            length = -(-size * 4 // 3)
            for run in _BASE_64.findall(text):
                if len(run) == length:
                    whole = run.translate(_SAFE) + "=" * (-length % 4)
                    yield urlsafe_b64decode(whole)


def pseudonyms(known: Iterable[bytes | str]) -> Pseudonyms:
    numbers, words = set(), set()
    for each in known:
        if isinstance(each, bytes):
            assert len(each) >= _LEAST_BYTES
            numbers.add(each)
        elif len(word := joined(each)) >= (_LEAST_DIGITS if word.isdigit() else _LEAST):
            words.add(word)
    return Pseudonyms(frozenset(numbers), frozenset(words), frozenset(map(len, numbers)))


def _words(text: str) -> Iterator[str]:
    """Return what stands alone in a text: between spaces, or between signs of any kind."""
    normal = spellings(text)[0]
    yield from runs(normal)
    yield from _WITHIN.sub("", normal).split()


_SAFE: Final = str.maketrans("+/", "-_")
