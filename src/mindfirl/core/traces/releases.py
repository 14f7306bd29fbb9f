"""Identifying values in a release: the traces that must not be in their person's rows.

Values of categories are not searched for: the word for a sex or a race identifies nobody.
"""

from __future__ import annotations

import re
from typing import Final

from mindfirl.core.traces.repeats import Traces, traces_of, traces_of_date
from mindfirl.core.traces.thresholds import RELEASES
from mindfirl.core.values.schema import Kind

_DATE: Final = re.compile(r"[0-9]{4}(-[0-9]{2}){0,2}")


def identifying_traces(kind: Kind, value: str) -> Traces:
    """Return the traces of a value in its canonical form."""
    if kind == "category":
        return Traces()
    if kind == "date" and _DATE.fullmatch(value):
        return traces_of_date(value.split("-"), RELEASES)
    return traces_of(value, RELEASES)
