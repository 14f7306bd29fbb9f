"""Simulated review: combined with the weights, votes do no harm, however people err.

Sets of candidates have weights and known answers. One set is calibrated; in the other the weights
are far too sure of themselves, and look-alikes are linked with high weights. People of an accuracy
review the band twice. Their errors are independent, shared by all, or three times as frequent where
the weight is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.evidence import USUAL_BITS, PairEvidence, WeighedVote, decisive_weight
from mindfirl.core.review.review_amounts import review_order
from tests.support.proof import FULL

Errors = Literal["independent", "shared", "where the model errs"]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

SIMULATIONS = 20
SIZE = 100_000 if FULL else 10_000
REVIEWS = 2
MOST_HARM = 0.002
BAND = decisive_weight()
ACCURACIES = (0.75, 0.85, 0.95)


@dataclass(frozen=True)
class World:
    """Candidates with the weights that a model states, and the truth."""

    weight: Floats
    truth: Flags


@lru_cache(maxsize=2 * SIMULATIONS)
def world(seed: int, *, overconfident: bool) -> World:
    rng = np.random.default_rng(seed)
    likely = rng.random(SIZE) < 0.4
    true_weight = np.where(likely, rng.normal(5, 4, SIZE), rng.normal(-7, 4, SIZE))
    truth = rng.random(SIZE) < 1 / (1 + np.exp2(-true_weight))
    if not overconfident:
        return World(true_weight, truth)
    stated = 2.5 * true_weight
    alike = rng.random(SIZE) < 0.02
    return World(np.where(alike, rng.normal(9, 3, SIZE), stated), truth & ~alike)


def said_same(
    of: World, numbers: NDArray[np.int64], accuracy: float, errors: Errors, seed: int
) -> Flags:
    """Return what each reviewer says of each pair; all have the accuracy on average."""
    rng = np.random.default_rng([seed, 1])
    truth = of.truth[numbers]
    wrong_weight = (of.weight[numbers] > 0) != truth
    rate = np.full(len(numbers), 1 - accuracy)
    if errors == "where the model errs":
        rate = np.where(wrong_weight, 3.0, 1.0) * (1 - accuracy) / (1 + 2 * wrong_weight.mean())
    drawn = rng.random((REVIEWS, len(numbers)))
    slips = (drawn[:1] if errors == "shared" else drawn) < rate
    return np.broadcast_to(slips, drawn.shape) ^ truth


def f1(linked: Flags, truth: Flags) -> float:
    return float(2 * (linked & truth).sum() / (linked.sum() + truth.sum()))


Rule = Callable[[World, NDArray[np.int64], Flags], Flags]


def combined(of: World, numbers: NDArray[np.int64], same: Flags) -> Flags:
    """Add two bits for each vote, for each vote against it take two away."""
    weight = of.weight.copy()
    weight[numbers] += np.where(same, USUAL_BITS[SAME], USUAL_BITS[DIFFERENT]).sum(axis=0)
    return weight > 0


def overridden(of: World, numbers: NDArray[np.int64], same: Flags) -> Flags:
    """Let all who agree decide, as published; what is left open is not linked."""
    linked = of.weight > 0
    linked[numbers] = same.all(axis=0)
    return linked


SAME: Literal["surely the same"] = "surely the same"
DIFFERENT: Literal["surely different"] = "surely different"


def gains(
    rule: Rule,
    accuracy: float,
    errors: Errors,
    *,
    overconfident: bool,
    looks: int | None = None,
    band: float = BAND,
) -> tuple[float, float]:
    """Return the mean F1 without review, and how much review adds, over all simulations."""
    before, after = [], []
    for seed in range(SIMULATIONS):
        of = world(seed, overconfident=overconfident)
        inside = np.flatnonzero(np.abs(of.weight) < band)
        numbers = inside[review_order(of.weight[inside])][:looks]
        same = said_same(of, numbers, accuracy, errors, seed)
        before.append(f1(of.weight > 0, of.truth))
        after.append(f1(rule(of, numbers, same), of.truth))
    return float(np.mean(before)), float(np.mean(after) - np.mean(before))


@pytest.mark.parametrize("overconfident", [False, True])
@pytest.mark.parametrize("errors", get_args(Errors))
@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_combined_evidence_does_no_harm(
    accuracy: float,
    errors: Errors,
    overconfident: bool,  # noqa: FBT001
    figure: Callable[[str], None],
) -> None:
    found = {
        looks: gains(combined, accuracy, errors, overconfident=overconfident, looks=looks)
        for looks in (SIZE // 100, SIZE // 25, None)
    }
    assert min(gain for _, gain in found.values()) >= -MOST_HARM
    _, override = gains(overridden, accuracy, errors, overconfident=overconfident)
    model = "over-confident" if overconfident else "calibrated"
    unreviewed, whole = found[None]
    figure(
        f"review of the band, {model} weights, people {accuracy:.0%} right, errors {errors}: "
        f"F1 {unreviewed:.4f} unreviewed, {whole:+.4f} combined, {override:+.4f} if all must agree"
    )


@pytest.mark.parametrize("errors", get_args(Errors))
def test_in_a_wide_band_votes_that_override_weights_do_far_more_harm(
    errors: Errors, figure: Callable[[str], None]
) -> None:
    unreviewed, adding = gains(combined, 0.75, errors, overconfident=False, band=10)
    _, override = gains(overridden, 0.75, errors, overconfident=False, band=10)
    assert override < -0.05
    assert adding > override / 10
    figure(
        f"review of all weights below 10, calibrated, people 75% right, errors {errors}: "
        f"F1 {unreviewed:.4f} unreviewed, {adding:+.4f} combined, {override:+.4f} if all must agree"
    )


def test_good_people_help_where_weights_are_right() -> None:
    assert gains(combined, 0.95, "independent", overconfident=False)[1] > 0.01


def test_the_simulation_combines_as_the_rule_does() -> None:
    of = world(3, overconfident=True)
    numbers = np.flatnonzero(np.abs(of.weight) < BAND)[:200]
    same = said_same(of, numbers, 0.75, "independent", 3)
    linked = combined(of, numbers, same)
    for at, number in enumerate(numbers.tolist()):
        votes = tuple(
            WeighedVote(str(who), Decision(SAME if says else DIFFERENT), USUAL_BITS)
            for who, says in enumerate(same[:, at].tolist())
        )
        pair = PairEvidence(float(of.weight[number]), votes, -BAND, BAND)
        assert pair.linked == linked[number]


@pytest.mark.parametrize("errors", get_args(Errors))
def test_simulated_people_are_as_accurate_as_said(errors: Errors) -> None:
    of = world(5, overconfident=False)
    numbers = np.flatnonzero(np.abs(of.weight) < BAND)
    same = said_same(of, numbers, 0.75, errors, 5)
    assert (same == of.truth[numbers]).mean() == pytest.approx(0.75, abs=0.03)
