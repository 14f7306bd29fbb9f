"""What leaves a project: releases, labels, crosswalks; and what must not."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest

from mindfirl.store.models import Release
from tests.services.exported import Linked, make_linked, rows_of, synthetic


@pytest.fixture
def linked(home: Path, tmp_path: Path) -> Linked:
    assert home.exists()
    return make_linked(tmp_path, synthetic(60))


def test_it(linked: Linked) -> None:
    made = linked.release()
    print(made.state, made.report)
    print(rows_of(made)[:3])
    made = linked.release(linked_only=False, coarsen={"born": "decade", "zip": 1})
    print(made.state, made.report)
    print(rows_of(made)[:3])
    assert 0
