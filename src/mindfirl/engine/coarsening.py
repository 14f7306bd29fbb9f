"""A column that is needed on both sides, coarsened on the sensitive one: a birth year."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from mindfirl.core.cleaning import clean, detect_order
from mindfirl.core.reading import Placeholders
from mindfirl.core.schema import DateOrder, Settings
from mindfirl.engine import frames
from mindfirl.engine.schemas import Coarsening

_LENGTH: Final = {"decade": 3, "year": 4, "month": 7}
"""How much of YYYY-MM-DD is kept."""


def coarsened(
    cells: pa.ChunkedArray, how: Coarsening, settings: Settings, order: DateOrder | None
) -> pa.Array:
    """Keep a part of every date, or the first characters; what cannot be read is missing."""
    if isinstance(how, int):
        return pc.utf8_slice_codeunits(pc.utf8_trim_whitespace(cells), 0, how)
    raw = frames.raw_column(cells)
    order = order or detect_order(raw, latest_year=settings.latest_year) or settings.date_order
    dates = clean(raw, "date", settings, Placeholders(), order=order)
    kept = [_part(value, how) for value in dates.values]
    return pa.array(kept, pa.string()).take(pa.array(dates.codes))


def _part(date: str, how: str) -> str | None:
    """Keep a part of a canonical date; one that lacks it is missing."""
    part = date[: _LENGTH[how]]
    if len(part) < _LENGTH[how]:
        return None
    return f"{part}0s" if how == "decade" else part
