"""Identities and sensitive values apart: two tables and what joins them.

Every record gets two random numbers, its pseudonyms: one in the table of identities, one in the
table of sensitive values. Each table is in the order of its own pseudonyms, so that neither its
numbers nor its order say anything about the other. Only the joining table knows both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.core.cleaning import CleanColumn, Finding, clean, detect_order
from mindfirl.core.errors import DataError
from mindfirl.core.schema import Attribute
from mindfirl.engine import frames
from mindfirl.engine.coarsening import coarsened
from mindfirl.engine.schemas import SchemaFile
from mindfirl.engine.tables.source import Source

PSEUDONYM: Final = "#pseudonym"
RECORD: Final = "#record"
IDENTITY: Final = "#identity"
SENSITIVE: Final = "#sensitive"
"""The columns that are ours; no attribute's name begins like them."""

_BYTES: Final = 16

Randomness = Callable[[int], bytes]
"""Gives so many random bytes."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Separated:
    """One database, taken apart; the columns of the index are in the order of the identities."""

    identity: pa.Table
    sensitive: pa.Table
    joining: pa.Table
    columns: dict[str, CleanColumn]
    findings: dict[str, tuple[Finding, ...]]
    filled: dict[str, int]


def separate(
    source: Source, schema: SchemaFile, database: str, *, randomness: Randomness
) -> Separated:
    """Read the columns that have a role, and take them apart."""
    wanted = _wanted(source, schema, database)
    table = source.table(sorted(wanted.all_columns))
    if not table.num_rows:
        raise DataError("there is no record in it.", "Give at least one.", file=source.name)
    size = table.num_rows
    identities, sensitives = _pseudonyms(size, randomness), _pseudonyms(size, randomness)
    ...
