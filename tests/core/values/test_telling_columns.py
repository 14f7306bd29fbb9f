"""Columns that tell people apart by themselves, and columns that do not."""

from __future__ import annotations

import random
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable

import pytest

from mindfirl.core.values.telling_columns import ValueCounts, telling
from mindfirl.synthetic.linked_databases import databases

DICE = random.Random(5)


def counted(cells: Iterable[str]) -> ValueCounts:
    held = Counter(cell for cell in cells if cell)
    holders = list(held.values())
    return ValueCounts(sum(holders), len(held), list(held), holders, list(map(float, holders)))


def drawn(database: str, column: str) -> list[str]:
    """Return values of made-up people: drawn when a test asks, not whenever tests are gathered."""
    found = getattr(databases(800, seed=3), database)[column].to_pylist()
    return [str(value) for value in found if value]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([str(number) for number in range(177)], "nearly unique"),
        ([str(100 * number) for number in range(177)], "nearly unique"),
        ([f"{number:06}" for number in range(177)], "code"),
        ([f"H{number % 90:05}" for number in range(177)], "code"),
        ([f"{DICE.getrandbits(64):016x}" for _ in range(200)], "code"),
        ([f"Seen on ward {number} again" for number in range(100)], "free text"),
        (["No complaints at this visit."] * 97 + ["Spoke to the man himself."] * 3, "free text"),
    ],
)
def test_a_column_that_tells_people_apart_is_found(cells: list[str], kind: str) -> None:
    assert kind in telling(counted(cells))


def test_names_that_were_encoded_are_found() -> None:
    cells = [b64encode(name.encode()).decode() for name in drawn("hospital", "last_name")]
    assert "code" in telling(counted(cells))


@pytest.mark.parametrize(
    "cells",
    [
        ["C18.9", "C34.1", "C50.9", "C61"] * 50,
        ["L01XC07", "L01XC03", "L04AB02"] * 50,
        [f"{DICE.randint(0, 95)}" for _ in range(400)],
        [f"{DICE.gauss(40_000, 9_000) // 100 * 100:.0f}" for _ in range(400)],
        [f"{DICE.gauss(4_000_000, 90_000) // 10_000 * 10_000:.0f}" for _ in range(40)],
        [f"20{DICE.randint(10, 20)}-0{DICE.randint(1, 9)}" for _ in range(300)],
        ["Malignant neoplasm of breast, unspecified site"] * 50 + ["none"] * 50,
        ["breast", "bronchus", "colon", "", ""] * 30,
        [],
        ["a", "b", "c"],
    ],
)
def test_codes_of_diagnoses_amounts_and_dates_are_no_findings(cells: list[str]) -> None:
    assert telling(counted(cells)) == []


def test_incomes_are_no_findings() -> None:
    assert telling(counted(drawn("registry", "income")[:128])) == []
