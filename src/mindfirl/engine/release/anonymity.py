"""How well persons hide in a release: k and l of its coarsened quasi-identifiers.

Rows with the same coarsened values make a group, a missing value being one of its own. A group
holds the persons who have a row in it. ``k`` is the number of persons in the smallest group: who
knows of somebody what is coarsened finds at least so many. What they would learn then are the
values in all rows of these persons, since the person's number joins them. ``l`` is the smallest
number of different values of a sensitive column among the persons of a group; missing values do not
count, and a group without any value has nothing to learn from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.engine.release.table import PERSON

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Anonymity:
    """The persons of the smallest group, and by sensitive column the fewest values of a group.

    A column without any value is not among them.
    """

    k: int
    values: dict[str, int]

    @property
    def l(self) -> int | None:  # noqa: E743  # so it is called wherever people write about it
        """The fewest values of any column in any group; nothing where there is no value."""
        return min(self.values.values(), default=None)


def anonymity(
    table: pa.Table, *, coarse: Sequence[str], sensitive: Sequence[str]
) -> Anonymity | None:
    """Count k and l of a release; without coarsened columns there are no groups to hide in."""
    if not coarse:
        return None
    person, persons = _codes(table.column(PERSON))
    group = np.zeros(table.num_rows, dtype=np.int64)
    for name in coarse:
        codes, size = _codes(table.column(name))
        group = np.unique(group * (size + 1) + codes, return_inverse=True)[1]
    members = np.unique(group * persons + person)
    groups, inside = np.divmod(members, persons)
    values = {name: _fewest(table.column(name), person, groups, inside) for name in sensitive}
    return Anonymity(
        int(np.bincount(groups).min()),
        {name: fewest for name, fewest in values.items() if fewest is not None},
    )


def check_anonymity(found: Anonymity, *, least_k: int, least_l: int) -> None:
    """Refuse a release in which persons hide less well than is asked for."""
    mend = "Coarsen more, or leave a coarsened column out."
    if found.k < least_k:
        raise SettingError(
            f"The smallest group of the release holds {found.k:,} persons, and {least_k:,} are "
            f"asked for. {mend}"
        )
    if found.l is not None and found.l < least_l:
        raise SettingError(
            f"In one group of the release a sensitive column has {found.l:,} different values, "
            f"and {least_l:,} are asked for. {mend}"
        )


def _codes(column: Any) -> tuple[Codes, int]:  # noqa: ANN401  # Arrow is untyped
    """Give every different text a number from 0, and say how many there are; missing is empty."""
    encoded = pc.fill_null(column, "").combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary)


def _fewest(
    column: Any,  # noqa: ANN401  # Arrow is untyped
    person: Codes,
    groups: Codes,
    inside: Codes,
) -> int | None:
    """Return the fewest different values that the persons of a group have, if they have any."""
    codes, size = _codes(column)
    filled = pc.greater(pc.utf8_length(pc.fill_null(column, "")), 0).to_numpy()
    holders, held = np.divmod(np.unique(person[filled] * size + codes[filled]), size)
    first = np.searchsorted(holders, inside)
    many = np.searchsorted(holders, inside, side="right") - first
    within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    value = held[np.repeat(first, many) + within]
    different = np.unique(np.repeat(groups, many) * size + value) // size
    counts = np.bincount(different)
    return int(counts[counts > 0].min()) if len(counts) else None
