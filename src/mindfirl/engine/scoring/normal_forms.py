"""Columns as they are compared and blocked: what differs in writing alone is equal in them."""

from __future__ import annotations

import pyarrow as pa

from mindfirl.core.values.comparable import comparable
from mindfirl.core.values.schema import Attribute
from mindfirl.engine.schema.headings import content_of


def comparable_column(values: pa.ChunkedArray, attribute: Attribute) -> pa.ChunkedArray:
    """Return a column in its normal form; a value of which nothing is left is missing."""
    if attribute.kind == "date":
        return values.cast(pa.string())
    content = content_of(attribute.name)
    coded = values.combine_chunks()
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode()
    written = [comparable(value, content) or None for value in coded.dictionary.to_pylist()]
    return pa.chunked_array([pa.array(written, pa.string()).take(coded.indices)])
