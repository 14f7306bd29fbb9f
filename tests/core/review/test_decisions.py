from __future__ import annotations

from typing import Any

import pytest

from mindfirl.core.errors import UnknownName
from mindfirl.core.review.decisions import REASONS, VERDICTS, Decision, latest


def test_six_steps_go_from_surely_different_to_surely_the_same() -> None:
    steps = [Decision(verdict) for verdict in VERDICTS[:-1]]
    assert [step.same for step in steps] == [False, False, False, True, True, True]
    assert [step.confidence for step in steps] == [3, 2, 1, 1, 2, 3]


@pytest.mark.parametrize("reason", REASONS)
def test_who_cannot_tell_says_why(reason: Any) -> None:
    decision = Decision("cannot tell", reason)
    assert decision.same is None
    assert decision.confidence == 0


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        ("maybe", None),
        ("cannot tell", None),
        ("cannot tell", "do not like it"),
        ("surely the same", "twins"),
    ],
)
def test_what_is_none_of_the_words_is_refused(verdict: Any, reason: Any) -> None:
    with pytest.raises(UnknownName):
        Decision(verdict, reason)


def test_the_latest_revision_counts_unless_it_was_taken_back() -> None:
    first, second = Decision("perhaps the same"), Decision("surely different")
    assert latest([]) is None
    assert latest([(2, second), (1, first)]) == second
    assert latest([(1, first), (2, None)]) is None
