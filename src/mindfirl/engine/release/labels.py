"""Decisions as labels, in the form in which Splink takes them to measure or train a model."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import TextIOWrapper
from typing import BinaryIO, Final

import numpy as np

from mindfirl.engine.pairs.record_ids import RecordIds

COLUMNS: Final = (
    "source_dataset_l",
    "unique_id_l",
    "source_dataset_r",
    "unique_id_r",
    "clerical_match_score",
)

Label = tuple[int, int, float]
"""The positions of two records; 1 where they are one person's, 0 where not, between if unsure."""


def write_labels(file: BinaryIO, records: RecordIds, labels: Iterable[Label]) -> None:
    """Write labels as CSV, each with the databases and ids of its records."""
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    for left, right, score in labels:
        rows.writerow([*_named(records, left), *_named(records, right), f"{score:g}"])
    text.detach()


def _named(records: RecordIds, position: int) -> tuple[str, str]:
    database = int(records.databases_of(np.array([position]))[0])
    name = records.names[database]
    return name, str(records.ids[name][position - int(records.starts[database])].as_py())
