"""Decisions as labels."""

from __future__ import annotations

from io import BytesIO

import pyarrow as pa

from mindfirl.engine.pairs.record_ids import RecordIds
from mindfirl.engine.release.labels import write_labels


def test_labels_name_databases_and_ids_as_splink_wants_them() -> None:
    records = RecordIds({"a": pa.array(["x,1", 'y"2']), "b": pa.array(["1", "2", "3"])})
    file = BytesIO()
    write_labels(file, records, [(0, 2, 1.0), (1, 4, 0.0), (2, 3, 0.5)])
    assert file.getvalue().decode().split("\r\n") == [
        "source_dataset_l,unique_id_l,source_dataset_r,unique_id_r,clerical_match_score",
        'a,"x,1",b,1,1',
        'a,"y""2",b,3,0',
        "b,1,b,2,0.5",
        "",
    ]
