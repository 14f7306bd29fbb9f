"""Bad files give a table, or an error that says what is wrong and holds no value."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.open_source import open_table, read_table
from tests.conftest import Figure
from tests.support.bad_files import KINDS, TRACER, bad_file
from tests.support.proof import FULL

SEEDS = (20 if FULL else 1) * len(KINDS)
SOUND = {"sound", "header_alone", "utf16", "carriage_returns", "bad_dates", "formulas"}


def fault(read: Callable[[], object]) -> DataError | None:
    try:
        read()
    except DataError as error:
        return error
    return None


def read_all(path: Path) -> None:
    source = open_table(str(path))
    source.table(source.columns)


@pytest.mark.proof
def test_bad_files_are_read_or_refused_in_a_sentence(tmp_path: Path, figure: Figure) -> None:
    refused = 0
    for seed in range(SEEDS):
        path = bad_file(seed, tmp_path)
        error = fault(partial(read_all, path))
        path.unlink()
        if error is None:
            continue
        refused += 1
        assert list(KINDS)[seed % len(KINDS)] not in SOUND
        assert TRACER not in str(error)
        assert str(error).startswith(path.name)
        assert error.__suppress_context__ or error.__context__ is None
    figure(f"readers: {SEEDS} bad files, {refused} refused in a sentence, 0 other errors")


def test_bad_files_are_read_or_refused_when_nothing_is_guessed(tmp_path: Path) -> None:
    for seed in range(len(KINDS)):
        assert TRACER not in str(fault(partial(read_table, bad_file(seed, tmp_path))))


def test_a_seed_makes_the_same_file(tmp_path: Path) -> None:
    for seed in range(len(KINDS)):
        first = bad_file(seed, tmp_path).read_bytes()
        assert bad_file(seed, tmp_path).read_bytes() == first
