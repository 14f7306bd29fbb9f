"""FEBRL with default settings and no tuning: who belongs together is found, and hardly else."""

from __future__ import annotations

import numpy as np
import pytest

from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.run import score_pairs
from tests.conftest import Figure
from tests.support.scoring_populations import febrl


@pytest.mark.parametrize(
    ("names", "recall", "f1"),
    [
        pytest.param(["dataset4a", "dataset4b"], 0.995, 0.99, marks=pytest.mark.full),
        (["dataset3"], 0.99, 0.985),
    ],
    ids=["FEBRL 4", "FEBRL 3"],
)
def test_febrl_is_found(
    names: list[str], recall: float, f1: float, figure: Figure, capfd: pytest.CaptureFixture[str]
) -> None:
    known = febrl(*names)
    found, _ = score_pairs(
        known.identities,
        known.schema,
        known.blocking(),
        mode=known.mode,
        engine=DuckDBEngine(),
        seed=1,
    )
    true = known.true(found)
    hits, sent = np.cumsum(true), np.arange(1, len(true) + 1)
    best = float((2 * hits / (sent + known.matches)).max())
    sure = found.probability >= 0.999
    assert true.sum() / known.matches >= recall
    assert best >= f1
    assert true[sure].mean() >= 0.999
    assert sure.sum() > 0.95 * known.matches
    assert found.probability.sum() == pytest.approx(known.matches, rel=0.01)
    assert np.all(found.left < found.right)
    assert len({*zip(found.left, found.right, strict=True)}) == len(found)
    assert capfd.readouterr() == ("", "")
    figure(
        f"FEBRL {names[0][7]}: candidate recall {true.sum() / known.matches:.4f}, "
        f"best F1 {best:.4f}, precision of sure pairs {true[sure].mean():.4f}"
    )
