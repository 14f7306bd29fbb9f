"""Text in which every letter is one byte, so that edits are counted alike wherever they are.

DuckDB counts edits by bytes, Spark by letters: from MÜLLER to MULLER it is two edits here and one
there. So the letters that are not ASCII get signs of ASCII that their column does not use. Where
there are more letters than signs, rare ones share a sign, and few edits are overlooked.
"""

from __future__ import annotations

from collections import Counter
from itertools import cycle
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

_SIGNS: Final = tuple(map(chr, range(1, 128)))


def is_plain(column: pa.ChunkedArray) -> bool:
    """Say whether a column is ASCII already."""
    return pc.all(pc.string_is_ascii(column)).as_py() is not False


def one_byte_letters(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write every letter of a column as one byte; equal letters stay equal."""
    coded = column.combine_chunks().dictionary_encode()
    values = coded.dictionary.to_pylist()
    signs = str.maketrans(_signs("".join(values)))
    written = pa.array([value.translate(signs) for value in values], pa.string())
    return pa.chunked_array([written.take(coded.indices)])


def _signs(text: str) -> dict[str, str]:
    """Give the letters beyond ASCII the free signs, the commonest first."""
    counts = Counter(text)
    beyond = sorted((-count, letter) for letter, count in counts.items() if not letter.isascii())
    free = [sign for sign in _SIGNS if sign not in counts] or _SIGNS
    return dict(zip((letter for _, letter in beyond), cycle(free), strict=False))
