"""Sensitive values in the order of their identities again."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.release.rejoined import rejoined
from mindfirl.engine.schema.schema_files.schema_parser import parse_schema
from mindfirl.engine.separation.separate import PSEUDONYM, RECORD, Separated, separate

SCHEMA = """
record_id = "id"
[[attribute]]
name = "name"
kind = "string"
[[sensitive]]
name = "value"
column = "value"
"""


@pytest.fixture
def apart(tmp_path: Path) -> Separated:
    path = tmp_path / "people.csv"
    lines = [f"i{number},N{number},v{number}" for number in range(300)]
    path.write_text("\n".join(["id,name,value", *lines]), encoding="utf-8")
    schema = parse_schema(SCHEMA, "schema.toml")
    dice = random.Random(3)
    return separate(open_table(str(path)), schema, "people", randomness=dice.randbytes)


def test_every_record_gets_its_own_values_back(apart: Separated) -> None:
    found = rejoined(apart.identity.column(PSEUDONYM), apart.sensitive, apart.joining)
    assert found.column_names == ["value"]
    ids = apart.identity.column(RECORD).to_pylist()
    assert [each.replace("i", "v") for each in ids] == found.column("value").to_pylist()
    assert ids != sorted(ids)


def test_the_order_of_the_joining_table_does_not_matter(apart: Separated) -> None:
    turned = apart.joining.take(pa.array(range(299, -1, -1)))
    one, other = (
        rejoined(apart.identity.column(PSEUDONYM), apart.sensitive, joining)
        for joining in (apart.joining, turned)
    )
    assert one == other


def test_what_does_not_fit_together_is_refused(apart: Separated) -> None:
    pseudonyms = apart.identity.column(PSEUDONYM)
    for wrong in (
        (pseudonyms, apart.sensitive, apart.joining.slice(1)),
        (pseudonyms, apart.sensitive.slice(1), apart.joining),
        (pseudonyms.slice(1), apart.sensitive, apart.joining),
        (apart.sensitive.column(PSEUDONYM), apart.sensitive, apart.joining),
    ):
        with pytest.raises(DataError, match="do not fit together"):
            rejoined(*wrong)
