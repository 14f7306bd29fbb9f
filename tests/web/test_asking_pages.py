"""Pages that a manager asks about one guess say the same as about every other guess.

The services under them are tried in `tests/services/test_asking.py`; here, all that a browser gets.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.plan.plans import PersonTyped, plan_of, save_plan
from mindfirl.store.models import Account
from tests.conftest import Figure
from tests.support.cast import member, signed_in, text
from tests.support.guesses import NUMBER, Guessed, make_guessed, random_guesses
from tests.support.proof import FULL

pytestmark = [pytest.mark.real_prices, pytest.mark.proof]

GUESSES = 150 if FULL else 30
RIGHT = 19
ASKED = range(GUESSES) if FULL else (0, 7, RIGHT, GUESSES - 1)
FILLERS = 12
PAGES = (
    "",
    "pairs",
    "plan",
    "dispatch",
    "resolve",
    "releases",
    "overview",
    "report",
    "report/json",
    "report/papers/impact-assessment",
    "report/papers/linkage-plan.md",
)
CHANGING = (
    r'name="csrfmiddlewaretoken" value="[^"]*"',
    r"hx-headers=\'[^\']*\'",
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",
    r"\b[0-9a-f]{32,}\b",
    r'name="(?:revision|seen)" value="[^"]*"',
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|\+00:00)?",
    r"\b\d\d:\d\d(?::\d\d)?\b",
)
"""What differs between two requests of anybody: tokens, random numbers, times, revisions."""


def unchanging(page: str) -> str:
    for pattern in CHANGING:
        page = re.sub(pattern, "…", page)
    return page


def asked(world: Guessed, manager: Account, worker: Account, thresholds: list[float]) -> list[str]:
    """Return what every page says, and the answers about thresholds and budgets typed there."""
    browser = signed_in(manager)
    address = f"/projects/{world.project.name}"
    found = []
    for threshold in thresholds:
        page = text(browser.get(f"{address}/pairs"))
        seen = re.search(r'name="seen" value="([^"]*)"', page)
        assert seen
        typed = {"lower": str(-threshold), "upper": str(threshold), "seen": seen[1]}
        found.append(browser.get(f"{address}/pairs/thresholds", typed))
        found.append(browser.post(f"{address}/pairs/thresholds", typed, follow=True))
    for budget in ("1", "20", "50"):
        about = {f"budget-worker-{worker.pk}": budget, "kappa": "1", "reviews": "1"}
        found.append(browser.get(f"{address}/plan/estimate", about))
    found += [browser.get(f"{address}/{page}".rstrip("/"), follow=True) for page in PAGES]
    assert {each.status_code for each in found} == {200}
    return [unchanging(text(each)) for each in found]


def test_pages_say_the_same_of_every_guess(home: Path, tmp_path: Path, figure: Figure) -> None:
    assert home.exists()
    world = make_guessed(tmp_path / "made", random_guesses(GUESSES, RIGHT))
    manager = member(world.project, "manager", "manager")
    worker = member(world.project, "worker", "worker")
    dice = random.Random(4)
    places = [round(dice.uniform(0.05, 3), 2) for _ in range(6)]
    _plan, revision = plan_of(project=world.project, actor=COMMAND_LINE)
    changes = {"people": (PersonTyped(str(worker.pk), budget="50"),), "reviews": 1}
    save_plan(project=world.project, actor=COMMAND_LINE, revision=revision, changes=changes)
    fillers = [(1 + place, GUESSES + place, 0.2 * place) for place in range(FILLERS)]
    answers: list[list[str]] = []
    for number in ASKED:
        world.bring([(0, number, 0.1), *fillers])
        answers.append(asked(world, manager, worker, places))
    first = answers[0]
    assert all(NUMBER not in page for page in first)
    different = [
        place for place, pages in enumerate(zip(*answers, strict=True)) if len({*pages}) > 1
    ]
    assert not different, different
    world.bring([(0, RIGHT, 0.1), *fillers, (20, GUESSES + 20, 0.1)])
    assert asked(world, manager, worker, places) != first, "one pair more shows on these pages"
    figure(
        f"pages about each of {len(ASKED)} guesses among {FILLERS} fillers, {len(first)} answers "
        "each: the same for all"
    )
