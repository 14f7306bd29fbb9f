"""All that a linkage depends on, frozen: with the same of it, a rerun gives the same persons.

It holds the model, thresholds and rules as they are, and of records, pairs and decisions digests
alone. The text that is signed is canonical, so that anybody can check it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

FORMAT: Final = 1
SIGNATURE: Final = "signature"
_WHAT: Final = "mindfirl linkage specification"
_DIGITS: Final = 6
"""Weights are the same when they are so to this many decimals: engines add in another order."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def digest_of_pairs(left: Ints, right: Ints, weight: Floats) -> str:
    """Return a digest of scored pairs, whatever order they are in."""
    order = np.lexsort((right, left))
    rounded = np.round(weight[order], _DIGITS) + 0.0  # no negative zero
    columns = (left[order], right[order], rounded)
    return _digest(column.astype(column.dtype.newbyteorder("<")).tobytes() for column in columns)


def digest_of_persons(person: Ints) -> str:
    """Return a digest of which records are one person's, whatever numbers persons have."""
    _, first, place = np.unique(person, return_index=True, return_inverse=True)
    return _digest([first[place].astype("<i8").tobytes()])


def digest_of_lines(lines: Iterable[str]) -> str:
    """Return a digest of lines of text, whatever order they are in."""
    return _digest(f"{line}\n".encode() for line in sorted(lines))


def _digest(parts: Iterable[bytes]) -> str:
    found = sha256()
    for part in parts:
        found.update(part)
    return found.hexdigest()


def specification_text(specification: Mapping[str, Any]) -> bytes:
    """Return the text that is signed: what it is, and canonical JSON without its signature."""
    content = {name: part for name, part in specification.items() if name != SIGNATURE}
    return f"{_WHAT} {json.dumps(content, sort_keys=True, separators=(',', ':'))}".encode("ascii")


def differing_parts(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Name the parts that decide the persons and are not the same in two specifications."""
    return [name for name in _DECIDING if one.get(name) != other.get(name)]


_DECIDING: Final = (
    *("data", "pairs", "model", "thresholds", "rule", "accuracy", "decisions", "accepted"),
    "persons",
)
