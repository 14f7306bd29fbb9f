"""The sensitive values of a database, in the order of its identities again."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from mindfirl.core.errors import DataError
from mindfirl.engine.separation.separate import IDENTITY, PSEUDONYM, SENSITIVE


def rejoined(identities: pa.ChunkedArray, sensitive: pa.Table, joining: pa.Table) -> pa.Table:
    """Put sensitive values into the order of the identities whose pseudonyms are given."""
    joins = _places(identities, joining.column(IDENTITY))
    rows = _places(joining.column(SENSITIVE), sensitive.column(PSEUDONYM)).take(joins)
    if not len(rows) == len(joining) == len(sensitive) or rows.null_count:
        rule = "The identities and the sensitive values of a database do not fit together."
        raise DataError(rule, "Import it again.")
    return sensitive.drop_columns([PSEUDONYM]).take(rows)


def _places(wanted: pa.ChunkedArray, among: pa.ChunkedArray) -> pa.Array:
    return pc.index_in(wanted, value_set=among.combine_chunks()).combine_chunks()
