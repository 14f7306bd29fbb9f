"""How many cells of a column can be read, and when so few that its kind may be wrong."""

from __future__ import annotations

import pytest

from mindfirl.core.values.column_values import CellCounts, ColumnFinding, cell_counts


def test_cells_are_counted_by_what_was_found_in_them() -> None:
    findings = [
        ColumnFinding("empty", 10, (1,)),
        ColumnFinding("placeholder", 5, (2,)),
        ColumnFinding("unreadable", 12, (3,)),
        ColumnFinding("impossible date", 8, (4,)),
        ColumnFinding("date form", 60, (5,)),
    ]
    assert cell_counts(findings, 100) == CellCounts(filled=85, unreadable=20)
    assert cell_counts([], 100) == CellCounts(filled=100, unreadable=0)


@pytest.mark.parametrize(
    ("filled", "unreadable", "doubtful"),
    [(0, 0, False), (100, 20, False), (100, 21, True), (5, 1, False), (5, 2, True)],
)
def test_more_than_a_fifth_is_doubtful(filled: int, unreadable: int, *, doubtful: bool) -> None:
    assert CellCounts(filled, unreadable).doubtful == doubtful


def test_few_findings_are_told_without_their_number_and_rows() -> None:
    few = ColumnFinding("placeholder", 3, (4, 8, 15))
    assert few.coarse_words == "fewer than 10 read as missing; not_missing in a schema keeps them"
    many = ColumnFinding("placeholder", 16, (4, 8, 15))
    assert many.coarse_words == many.words
