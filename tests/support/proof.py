"""How large a proof is: small in ``make test``, full in ``make proof``."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

FULL = os.environ.get("MINDFIRL_PROOF") == "full"
EXAMPLES = 20_000 if FULL else int(os.environ.get("MINDFIRL_EXAMPLES", "100"))

_Case = TypeVar("_Case")


def prove(
    law: str,
    cases: SearchStrategy[_Case],
    check: Callable[[_Case], None],
    figure: Callable[[str], None],
    *,
    examples: int = EXAMPLES,
) -> None:
    """Check a law on generated cases, and report how many there were."""
    passed = 0

    @settings(
        max_examples=examples,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases)
    def run(case: _Case) -> None:
        nonlocal passed
        check(case)
        passed += 1

    run()
    assert passed >= examples, "the cases ran out before the proof was full"
    figure(f"{law}: {passed:,} examples, 0 violations")
