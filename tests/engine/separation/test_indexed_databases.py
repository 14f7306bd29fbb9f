"""An index goes into a table and comes out again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mindfirl.engine.separation import indexed_databases
from mindfirl.engine.separation.indexed_databases import index_arrays, index_table, with_salt

ARRAYS: dict[str, NDArray[Any]] = {
    "codes": np.arange(50, dtype=np.int32),
    "letters": np.arange(60, dtype=np.uint16).reshape(20, 3),
    "empty": np.zeros((0, 4), dtype=np.uint8),
    "number": np.array(7, dtype=np.int64),
}


@pytest.mark.parametrize("piece", [1, 7, 200, 8 << 20])
def test_arrays_come_back_as_they_were(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexed_databases, "_PIECE", piece)
    table = index_table(with_salt(ARRAYS, b"0123456789abcdef"))
    assert max(len(cell) for cell in table.column("bytes").to_pylist()) <= piece
    found = index_arrays(table)
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
