"""Files from which little can be learnt: a sensible linkage, or a sentence that says why not."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from click.testing import CliRunner

from mindfirl.cli import main
from mindfirl.store.models import Scoring
from tests.support.projects import done

pytestmark = pytest.mark.usefixtures("home")

Row = dict[str, str]
FIRST: Final = ("Anna", "Berta", "Carl", "Dora", "Emil", "Frida", "Georg", "Hans", "Ida", "Jan")
LAST: Final = ("Abel", "Bauer", "Clasen", "Dorn", "Ebert", "Falk", "Gross", "Huber", "Iske", "Jung")
PERSONS: Final = 100


def people(count: int) -> list[Row]:
    dice = Random(3)
    return [
        {
            "first_name": dice.choice(FIRST) + dice.choice(FIRST).lower(),
            "last_name": dice.choice(LAST) + dice.choice(LAST).lower(),
            "birth_date": f"{dice.randrange(1930, 2010)}-{dice.randrange(1, 13):02}-"
            f"{dice.randrange(1, 29):02}",
            "sex": dice.choice("FM"),
        }
        for _ in range(count)
    ]


def twice(rows: Sequence[Row]) -> list[tuple[int, Row]]:
    return [(number, dict(row)) for number, row in enumerate(rows) for _ in range(2)]


def scored(folder: Path, rows: Sequence[tuple[int, Row]]) -> Path:
    """Import and score records of persons; return the file of the truth."""
    with (folder / "people.csv").open("w", encoding="utf-8", newline="") as out:
        lines = csv.writer(out)
        lines.writerow(["id", *rows[0][1]])
        lines.writerows([f"r{place:03}", *row.values()] for place, (_, row) in enumerate(rows))
    truth = folder / "truth.csv"
    with truth.open("w", encoding="utf-8", newline="") as out:
        lines = csv.writer(out)
        lines.writerow(["id", "person"])
        lines.writerows([f"r{place:03}", f"p{who}"] for place, (who, _) in enumerate(rows))
    done("project", "create", "study", "--synthetic")
    done("data", "import", "study", str(folder / "people.csv"), "--yes")
    done("pairs", "score", "study")
    return truth


def evaluated(truth: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done("evaluate", "study", "--truth", str(truth), "--json"))
    return found


ODD_COLUMNS: Final[dict[str, dict[str, list[str]]]] = {
    "a constant column": {"country": ["DE"] * 2 * PERSONS},
    "a column without values": {"email": [""] * 2 * PERSONS},
    "a column of which all values differ": {
        "code": [f"{number:05}" for number in range(2 * PERSONS)]
    },
}


@pytest.mark.parametrize("name", ODD_COLUMNS)
def test_a_column_that_says_nothing_changes_nothing(name: str, tmp_path: Path) -> None:
    rows = twice(people(PERSONS))
    for heading, values in ODD_COLUMNS[name].items():
        for (_, row), value in zip(rows, values, strict=True):
            row[heading] = value
    found = evaluated(scored(tmp_path, rows))
    assert found["f1_unreviewed"] == 1.0
    low, high = found["stated_false_links"]
    assert low == 0
    assert high < PERSONS / 10


def test_two_identical_columns_count_once(tmp_path: Path) -> None:
    rows = [(who, {**row, "surname": row["last_name"]}) for who, row in twice(people(PERSONS))]
    assert evaluated(scored(tmp_path, rows))["f1_unreviewed"] == 1.0


NOTHING_TO_TELL: Final = {
    "every record the same": [(0, people(1)[0])] * PERSONS,
    "one attribute": [(who, {"last_name": row["last_name"]}) for who, row in twice(people(60))],
    "all values the same but the sex": [
        (who, {**people(1)[0], "sex": row["sex"]}) for who, row in twice(people(60))
    ],
}


@pytest.mark.parametrize("name", NOTHING_TO_TELL)
def test_where_nothing_tells_people_apart_nothing_is_linked(name: str, tmp_path: Path) -> None:
    found = evaluated(scored(tmp_path, NOTHING_TO_TELL[name]))
    assert found["recall_unreviewed"] == 0.0
    assert found["stated_missed"] is None
    assert found["stated_never_compared"] is None
    assert "Nothing is linked automatically" in Scoring.objects.get().model
    assert "Nothing is linked automatically" in done("pairs", "bands", "study")


def test_without_any_true_pair_nothing_is_linked(tmp_path: Path) -> None:
    truth = scored(tmp_path, list(enumerate(people(2 * PERSONS))))
    assert "linked automatically  0" in done("pairs", "bands", "study")
    said = CliRunner().invoke(main, ["evaluate", "study", "--truth", str(truth)])
    assert said.exit_code == 2
    assert "it has no true pairs. Give at least one." in said.stderr
