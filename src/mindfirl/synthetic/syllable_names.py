"""Names put together from syllables: they look like names and belong to nobody."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

import numpy as np
import pyarrow as pa

# fmt: off
ONSETS: Final = [
    "b", "br", "c", "ch", "d", "f", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "r", "s", "sh",
    "st", "t", "th", "tr", "v", "w", "z",
]
VOWELS: Final = ["a", "e", "i", "o", "u", "ai", "ea", "ia", "o", "y"]
_CODAS: Final = ["", "", "", "l", "n", "r", "s", "t", "nd", "ll", "m", "ck", "rt", "th"]
# fmt: on
FIRST_ENDINGS: Final = ["", "a", "e", "y", "ie", "o", "an", "el", "in"]
LAST_ENDINGS: Final = ["", "", "son", "er", "man", "ez", "ton", "ley", "ini", "ski", "berg"]


def make_names(dice: Random, size: int, endings: Sequence[str]) -> list[str]:
    """Make so many names, each once, the common ones mostly short."""
    names: dict[str, None] = {}
    while len(names) < size:
        syllables = 1 + (dice.random() < 0.3 + len(names) / size)
        parts = [dice.choice(part) for _ in range(syllables) for part in (ONSETS, VOWELS, _CODAS)]
        names.setdefault("".join([*parts, dice.choice(endings)]).capitalize())
    return list(names)


def nickname(name: str) -> str:
    """Return the short form that family and friends use."""
    return f"{name[:3]}ie"


def draw_skewed(
    rng: np.random.Generator, size: int, pool: Sequence[str], *, skew: float, shift: int
) -> pa.Array:
    """Draw values with a few very common ones and a long tail (Zipf-Mandelbrot)."""
    weights = 1 / (np.arange(len(pool)) + shift) ** skew
    places = rng.choice(len(pool), size=size, p=weights / weights.sum())
    return pa.array(pool).take(pa.array(places))
