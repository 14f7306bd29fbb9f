"""Managers who ask for figures learn nothing about a pair, however they choose what to ask about.

Somebody knows a person but for a number and brings 150 guesses. Whatever is told of one guess must
be told of all others in the same words: then the answers are no better than a guess.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mindfirl.core.errors import FieldErrors, SettingError
from mindfirl.core.ledger.events import DatabaseConfirmed
from mindfirl.core.ledger.project_events import DispatchRefused
from mindfirl.core.ledger.replay import read
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.review.plan import PersonPlan, ReviewPlan
from mindfirl.core.risk.kapr import Step, charges
from mindfirl.engine.bands.burden import Bands
from mindfirl.services.dispatch import dispatches
from mindfirl.services.dispatch.dispatches import confirm, propose, withdraw
from mindfirl.services.pairs import burden_of, set_bands
from mindfirl.services.plan import forecasts
from mindfirl.services.plan.amounts import offered_amounts
from mindfirl.services.plan.estimates import estimate
from mindfirl.services.plan.forecast_pairs import reference_pairs
from mindfirl.services.plan.plans import PersonTyped, plan_of, save_plan
from mindfirl.store import vault
from mindfirl.store.ledger.writer import lines
from mindfirl.workspace.open_pairs import open_pairs
from mindfirl.workspace.verification.ledger_verification import verify
from tests.conftest import Figure
from tests.support.forecasts import Engine
from tests.support.guesses import (
    AdaptiveSearch,
    Guessed,
    close_guesses,
    make_guessed,
    random_guesses,
)
from tests.support.proof import FULL
from tests.support.reviews import account

pytestmark = pytest.mark.real_prices

GUESSES = 150
RIGHT = 97
ASKED = range(GUESSES) if FULL else (*range(0, GUESSES, 15), RIGHT)
"""The guesses that are asked about one by one."""
KINDS: dict[str, Callable[[int, int], list[str]]] = {
    "random": random_guesses,
    "one digit off": close_guesses,
}


def guessed(folder: Path, kind: str = "random") -> Guessed:
    return make_guessed(folder, KINDS[kind](GUESSES, RIGHT))


def distinct(told: list[Any]) -> int:
    return len({repr(each) for each in told})


@pytest.mark.proof
@pytest.mark.parametrize("kind", KINDS)
def test_thresholds_around_one_pair_tell_nothing_of_it(
    home: Path, tmp_path: Path, figure: Figure, kind: str
) -> None:
    assert home.exists()
    world = guessed(tmp_path / "made", kind)
    world.bring([(0, number, number - 74.5) for number in range(GUESSES)])
    pairs = open_pairs(world.project)
    told = []
    for number in range(GUESSES):
        found = burden_of(pairs, Bands(number - 74.75, number - 74.25))
        assert found["review"] == 1, "the pair is alone between the thresholds"
        told.append((found["K"], found["contested"], found["settled"]))
    assert distinct(told) == 1
    assert told[RIGHT][0]["full"] > 0
    figure(f"thresholds around one of {GUESSES} guesses, {kind}: 1 answer for all")


@pytest.mark.proof
def test_estimates_of_one_guess_are_those_of_all_others(
    home: Path, tmp_path: Path, figure: Figure
) -> None:
    assert home.exists()
    world = guessed(tmp_path / "made")
    world.bring([(0, number, number - 74.5) for number in range(GUESSES)])
    worker = account("worker", project=world.project, role="worker")
    plan = ReviewPlan(people=(PersonPlan(str(worker.pk), "worker", 100, 10**7),), reviews=1)
    plans = [
        plan,
        replace(plan, kappa=3),
        replace(plan, accounting="strict"),
        replace(plan, starting=(Step("number", "full"),)),
    ]
    told: list[list[Any]] = [[] for _ in plans]
    for number in ASKED:
        set_bands(project=world.project, bands=Bands(number - 74.75, number - 74.25))
        about: dict[str, Any] = {"project": world.project, "actor": COMMAND_LINE}
        for answers, each in zip(told, plans, strict=True):
            found = estimate(**about, plan=each)
            amounts = [amount.pairs for amount in offered_amounts(**about, plan=each)]
            answers.append((found, amounts))
    assert [distinct(answers) for answers in told] == [1] * len(plans)
    figure(f"estimates of each of {len(ASKED)} guesses, {len(plans)} plans: 1 answer for all")


@pytest.mark.proof
def test_budgets_of_starting_levels_tell_nothing_of_the_chosen_pairs(
    home: Path, tmp_path: Path, figure: Figure
) -> None:
    assert home.exists()
    world = guessed(tmp_path / "made")
    manager = account("manager", project=world.project, role="manager")
    worker = account("worker", project=world.project, role="worker")
    answers: dict[str, list[str]] = {}
    asked = 0
    for number in (0, RIGHT, GUESSES - 1):
        fillers = [(1 + place, GUESSES + place, 0.1) for place in range(9)]
        world.bring([(0, number, 0.0), *fillers])
        set_bands(project=world.project, bands=Bands(-1, 1))
        for budget in ("1", "5", "12", "15", "20", "24", "25", "26", "50"):
            _plan, revision = plan_of(project=world.project, actor=COMMAND_LINE)
            changes = {
                "people": (PersonTyped(str(worker.pk), budget=budget),),
                "reviews": 1,
                "starting": {"number": "full"},
            }
            save_plan(project=world.project, actor=COMMAND_LINE, revision=revision, changes=changes)
            answers.setdefault(budget, []).append(_proposed(world, manager))
            asked += 1
    assert [distinct(each) for each in answers.values()] == [1] * len(answers)
    assert len({each[0] for each in answers.values()}) > 1, "small budgets are refused"
    figure(f"proposals with starting levels, guess among 9 fillers: {asked}, 1 answer for all")


def _proposed(world: Guessed, manager: Any) -> str:
    try:
        made = propose(project=world.project, actor=COMMAND_LINE, account=manager)
    except FieldErrors as error:
        return str(sorted(error.fields.values()))
    withdraw(dispatch=made, actor=COMMAND_LINE)
    return "proposed"


@pytest.mark.proof
@pytest.mark.parametrize("kind", KINDS)
def test_forecasts_are_made_of_pairs_that_nobody_chose(
    home: Path, tmp_path: Path, figure: Figure, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """What figures are told of is the same for each guess, alone or among fillers."""
    assert home.exists()
    engine = Engine()
    monkeypatch.setattr(forecasts, "make_forecast", engine)
    world = guessed(tmp_path / "made", kind)
    truth = tmp_path / "truth.csv"
    truth.write_text("left,right\np0,g97\np1,g150\n", encoding="utf-8")
    for number in ASKED:
        for fillers in (0, 9, 50):
            others = [(1 + place, GUESSES + place, 0.1) for place in range(fillers)]
            world.bring([(0, number, 0.0), *others])
            set_bands(project=world.project, bands=Bands(-1, 1 if fillers else 0.05))
            made = forecasts.make(project=world.project, actor=COMMAND_LINE)
            assert made.pairs == 1 + fillers
            assert made.content["reference"] >= 300
            forecasts.make(project=world.project, actor=COMMAND_LINE, truth=truth)
    told = [_told_of(asked) for asked in engine.asked]
    assert distinct(told[::2]) == distinct(told[1::2]) == 1
    figure(f"forecasts of each of {len(ASKED)} guesses, {kind}: {len(told)}, 1 answer for all")


def _told_of(asked: dict[str, Any]) -> tuple[Any, ...]:
    told = asked["told"]
    labels = asked["labels"]
    assert (labels.numbers < told).all()
    pairs = (asked["left"][:told].tolist(), asked["right"][:told].tolist())
    return (*pairs, labels.numbers.tolist(), labels.same.tolist(), asked["source"])


def test_a_forecast_of_a_real_project_tells_of_reference_pairs_alone(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.exists()
    engine = Engine()
    monkeypatch.setattr(forecasts, "make_forecast", engine)
    world = guessed(tmp_path / "made")
    world.bring([(place, GUESSES + place, 0.0) for place in range(60)])
    made = forecasts.make(project=world.project, actor=COMMAND_LINE)
    (asked,) = engine.asked
    pairs = open_pairs(world.project)
    reference = {frozenset(each) for each in zip(*reference_pairs(pairs), strict=True)}
    given = list(zip(asked["left"].tolist(), asked["right"].tolist(), strict=True))
    assert {frozenset(each) for each in given[: asked["told"]]} == reference
    assert made.prospects is not None
    kept = vault.unseal(made.prospects)
    expected = zip(kept.column("left").to_pylist(), kept.column("right").to_pylist(), strict=True)
    candidates = zip(pairs.candidates.left.tolist(), pairs.candidates.right.tolist(), strict=True)
    assert set(expected) == set(candidates), "these it chooses, and tells nothing of"
    shares = [
        point["people"] for point in made.content["parts"]["band"]["policies"]["step by step"]
    ]
    assert all(round(share * 200) == pytest.approx(share * 200) for share in shares)


Question = Callable[[Guessed, int, int, int], tuple[float | Fraction, object]]
"""About the guesses from one number up to another, asked in one of several ways."""


def by_thresholds(world: Guessed, first: int, end: int, _way: int) -> tuple[float, object]:
    found = burden_of(open_pairs(world.project), between(first, end))
    return found["K"]["full"], (found["K"], found["contested"], found["settled"], found["review"])


def by_estimates(world: Guessed, first: int, end: int, way: int) -> tuple[float, object]:
    set_bands(project=world.project, bands=between(first, end))
    plan = (
        ReviewPlan(reviews=1),
        ReviewPlan(reviews=1, kappa=3),
        ReviewPlan(reviews=2, accounting="strict"),
        ReviewPlan(reviews=1, starting=(Step("number", "full"),)),
        ReviewPlan(reviews=1, prices="banded", quality_sample=1),
    )[way % 5]
    found = estimate(project=world.project, actor=COMMAND_LINE, plan=plan)
    return found.full + found.starting, found


def by_forecasts(world: Guessed, first: int, end: int, way: int) -> tuple[float, object]:
    set_bands(project=world.project, bands=between(first, end))
    truth = world.folder / "truth.csv"
    truth.write_text("left,right\np0,g97\np0,g150\n", encoding="utf-8")
    made = forecasts.make(
        project=world.project, actor=COMMAND_LINE, truth=truth if way % 2 else None
    )
    told = _told_of(vars(forecasts)["make_forecast"].asked[-1])
    return float(sum(told[1])), (made.content["reference"], made.pairs, told)


def by_prices_of_the_pairs(
    world: Guessed, first: int, end: int, _way: int
) -> tuple[Fraction, object]:
    """Ask as if the chosen pairs themselves were priced, which no page does."""
    pairs, bands = open_pairs(world.project), between(first, end)
    index, found = pairs.data.index(), pairs.candidates
    chosen = [
        charges(index, index.pair(left, right), {}, kappa=1, accounting="paper")
        for left, right, weight in zip(found.left, found.right, found.weight, strict=True)
        if bands.lower < weight < bands.upper
    ]
    assert len(chosen) == end - first
    return Fraction(sum(each[Step("number", "full")] or 0 for each in chosen), len(chosen)), ()


def between(first: int, end: int) -> Bands:
    return Bands(first - 74.75, end - 1 - 74.25)


ROUNDS = (*range(0, GUESSES, 10), RIGHT) if FULL else (0, RIGHT)
"""By how much the guesses are moved: each time, another one of the search's is right."""


def searched(world: Guessed, question: Question) -> list[tuple[int, AdaptiveSearch]]:
    """Search in each round; return which row is named as the right guess, and the whole search."""
    found = []
    for moved in ROUNDS:
        world.bring([(0, (place + moved) % GUESSES, place - 74.5) for place in range(GUESSES)])
        search = AdaptiveSearch(partial(question, world))
        found.append(((search.best_guess(GUESSES) + moved) % GUESSES, search))
    return found


@pytest.mark.proof
@pytest.mark.parametrize("question", [by_thresholds, by_estimates, by_forecasts])
@pytest.mark.parametrize("kind", KINDS)
def test_an_adaptive_search_names_the_same_guess_whichever_is_right(
    home: Path,
    tmp_path: Path,
    figure: Figure,
    monkeypatch: pytest.MonkeyPatch,
    *,
    kind: str,
    question: Question,
) -> None:
    assert home.exists()
    monkeypatch.setattr(forecasts, "make_forecast", Engine())
    found = searched(guessed(tmp_path / "made", kind), question)
    assert distinct([search.told for _named, search in found]) == 1
    hits = sum(named == RIGHT for named, _search in found)
    assert hits <= 1, "no more than by naming any guess"
    asked = sum(len(search.told) for _named, search in found)
    name = getattr(question, "__name__", "").replace("_", " ")
    rounds = f"{asked} questions in {len(ROUNDS)} rounds"
    figure(f"adaptive search {name}, {kind}: {rounds}, whichever guess is right the same is named")


def test_the_same_search_finds_the_guess_where_the_chosen_pairs_are_priced(
    home: Path, tmp_path: Path
) -> None:
    assert home.exists()
    found = searched(guessed(tmp_path / "made"), by_prices_of_the_pairs)
    assert [named for named, _search in found] == [RIGHT] * len(ROUNDS)


@pytest.mark.proof
def test_samples_of_automatic_bands_tell_nothing_of_the_pairs_in_them(
    home: Path, tmp_path: Path, figure: Figure
) -> None:
    assert home.exists()
    world = guessed(tmp_path / "made")
    worker = account("worker", project=world.project, role="worker")
    person = PersonPlan(str(worker.pk), "worker", 100, 10**7)
    plan = ReviewPlan(people=(person,), reviews=1, quality_sample=1)
    told = []
    for number in ASKED:
        # The guess is the only pair that is linked without review, so it is the sample.
        fillers = [(1 + place, GUESSES + place, 0.0) for place in range(20)]
        world.bring([(0, number, 9.0), *fillers])
        set_bands(project=world.project, bands=Bands(-1, 1))
        told.append(estimate(project=world.project, actor=COMMAND_LINE, plan=plan))
    assert distinct(told) == 1
    assert told[0].quality == 1
    figure(f"samples of one guess, {len(ASKED)} guesses: 1 answer for all")


def test_a_dispatch_that_is_refused_by_its_own_pairs_is_in_the_ledger(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The price table lets nearly none come so far: here it is taken away."""
    assert home.exists()
    monkeypatch.setattr(dispatches, "starting_price", lambda *_: 0.0)
    world = guessed(tmp_path / "made")
    manager = account("manager", project=world.project, role="manager")
    worker = account("worker", project=world.project, role="worker")
    said = []
    for number in (0, RIGHT):
        fillers = [(1 + place, GUESSES + place, 0.1) for place in range(9)]
        world.bring([(0, number, 0.0), *fillers])
        set_bands(project=world.project, bands=Bands(-1, 1))
        for budget in ("1", "5", "12", "20"):
            _plan, revision = plan_of(project=world.project, actor=COMMAND_LINE)
            people = (PersonTyped(str(worker.pk), budget=budget),)
            changes = {"people": people, "reviews": 1, "starting": {"number": "full"}}
            save_plan(project=world.project, actor=COMMAND_LINE, revision=revision, changes=changes)
            made = propose(project=world.project, actor=COMMAND_LINE, account=manager)
            confirmed = confirm(dispatch=made, actor=COMMAND_LINE, account=manager)
            with pytest.raises(FieldErrors, match="50%, or let") as caught:
                dispatches.dispatch_now(dispatch=confirmed)
            said.append(str(caught.value))
            withdraw(dispatch=confirmed, actor=COMMAND_LINE)
    assert said[:4] == said[4:], "the right guess is told as a wrong one is"
    told = [entry.event for entry in read(lines(world.project))]
    refused = [each for each in told if isinstance(each, DispatchRefused)]
    assert refused == [DispatchRefused(number, 500_000_000) for number in range(1, 9)]
    verify(world.project)


def test_few_pairs_are_not_given_out(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    world = guessed(tmp_path / "made")
    manager = account("manager", project=world.project, role="manager")
    worker = account("worker", project=world.project, role="worker")
    world.bring([(0, number, 0.0) for number in range(9)])
    _plan, revision = plan_of(project=world.project, actor=COMMAND_LINE)
    changes = {"people": (PersonTyped(str(worker.pk), budget="50"),), "reviews": 1}
    save_plan(project=world.project, actor=COMMAND_LINE, revision=revision, changes=changes)
    with pytest.raises(SettingError, match="at least 10"):
        propose(project=world.project, actor=COMMAND_LINE, account=manager)


def test_a_database_of_guesses_needs_a_reason_that_the_ledger_keeps(
    home: Path, tmp_path: Path
) -> None:
    assert home.exists()
    world = guessed(tmp_path / "made")
    told = [entry.event for entry in read(lines(world.project))]
    confirmed = [each for each in told if isinstance(each, DatabaseConfirmed)]
    assert confirmed == [DatabaseConfirmed("guesses", "An attack is tried.")]
