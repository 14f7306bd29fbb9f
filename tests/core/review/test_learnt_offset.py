"""What decisions say about weights: offsets found again in made-up worlds, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindfirl.core.review.learnt_offset import (
    ENOUGH_DECIDED,
    FOLDS,
    NO_SHIFT,
    DecidedPairs,
    Flags,
    Floats,
    Ints,
    Learnt,
    WeightShift,
    learn_shift,
    moved_weights,
)

BAND = 2.0
seeds = st.integers(0, 2**32 - 1)


@dataclass
class World:
    """Pairs with weights that are off by a shift, and which of them are the same."""

    same: Flags
    weight: Floats
    fold: Ints

    def f1(self, weight: Floats) -> float:
        linked = weight > 0
        return 2 * float((linked & self.same).sum()) / float(linked.sum() + self.same.sum())


def made(seed: int, shift: WeightShift = NO_SHIFT, *, pairs: int = 3_000) -> World:
    """Make a world in which the shift sets all weights right."""
    dice = np.random.default_rng(seed)
    same = dice.random(pairs) < 0.4
    spread = 4.0
    log_odds = dice.normal(np.where(same, 1, -1) * spread**2 / 2, spread) + np.log(0.4 / 0.6)
    weight = (log_odds / np.log(2) - shift.offset) / shift.slope
    return World(same, weight, np.full(pairs, -1))


def decide(
    world: World, seed: int, *, accuracy: float = 0.85, inside: int = 200, outside: int = 120
) -> DecidedPairs:
    """Let two people each decide pairs of the band, and a sample of the others."""
    dice = np.random.default_rng([seed, 1])
    near = np.abs(world.weight) < BAND
    chosen = np.concatenate(
        [
            dice.permutation(np.flatnonzero(near))[:inside],
            dice.permutation(np.flatnonzero(~near))[:outside],
        ]
    )
    world.fold[chosen] = chosen % FOLDS
    right = dice.random((len(chosen), 2)) < accuracy
    says = right == world.same[chosen][:, None]
    return DecidedPairs(
        world.weight[chosen],
        says.sum(axis=1),
        (~says).sum(axis=1),
        np.zeros(len(chosen), dtype=np.int64),
        ~near[chosen],
        world.fold[chosen],
    )


@pytest.mark.parametrize("offset", [-2.5, 2.5])
@pytest.mark.parametrize("accuracy", [0.75, 0.95])
def test_an_offset_is_found_again(offset: float, accuracy: float) -> None:
    found, gains = [], []
    for seed in range(2):
        world = made(seed, WeightShift(offset), pairs=8_000)
        decided = decide(world, seed, accuracy=accuracy, inside=500, outside=300)
        learnt = learn_shift(decided)
        assert learnt.obstacle is None
        found.append(learnt.shift.offset)
        gains.append(world.f1(moved_weights(learnt, world.weight, world.fold)))
        gains[-1] -= world.f1(world.weight)
    assert np.mean(found) == pytest.approx(offset, abs=1)
    assert min(gains) > 0


@settings(max_examples=8, deadline=None)
@given(seeds, st.floats(-1, 1), st.sampled_from([0.75, 0.85, 0.95]))
def test_noisy_decisions_never_make_links_much_worse(
    seed: int, offset: float, accuracy: float
) -> None:
    world = made(seed, WeightShift(offset))
    learnt = learn_shift(decide(world, seed, accuracy=accuracy))
    after = world.f1(moved_weights(learnt, world.weight, world.fold))
    assert after >= world.f1(world.weight) - 0.01


def test_a_slope_is_learnt_where_it_is_significant() -> None:
    world = made(1, WeightShift(1.5, 0.3), pairs=30_000)
    decided = decide(world, 1, accuracy=0.97, inside=1_000, outside=1_000)
    learnt = learn_shift(decided)
    assert learnt.shift.slope == pytest.approx(0.3, abs=0.1)
    assert learnt.shift.offset == pytest.approx(1.5, abs=0.7)
    assert all(each.slope < 1 for each in learnt.by_fold)


def test_adjudicators_count_for_more_than_votes() -> None:
    decided = decide(made(2, WeightShift(2.5)), 2)
    settled = np.where(decided.same >= decided.different, 1, -1)
    plain, sure = learn_shift(decided), learn_shift(replace(decided, settled=settled))
    assert plain.shift != sure.shift
    assert (replace(decided, settled=settled).sides == settled).all()


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 9), st.integers(0, 200))
def test_votes_on_a_pair_do_not_move_its_own_weight(seed: int, pair: int) -> None:
    decided = decide(made(seed, WeightShift(3)), seed)
    own = np.arange(len(decided)) == pair
    turned = replace(
        decided,
        same=np.where(own, decided.different, decided.same),
        different=np.where(own, decided.same, decided.different),
    )
    fold = decided.fold[pair]
    assert learn_shift(decided).by_fold[fold] == learn_shift(turned).by_fold[fold]


def decided_as(says: Flags, weight: Floats) -> DecidedPairs:
    size = len(weight)
    return DecidedPairs(
        weight,
        says.astype(np.int64),
        (~says).astype(np.int64),
        np.zeros(size, dtype=np.int64),
        np.abs(weight) >= BAND,
        np.arange(size) % FOLDS,
    )


WEIGHTS = np.linspace(-12, 12, 300)


@pytest.mark.parametrize("side", [True, False])
def test_where_all_say_the_same_nothing_is_learnt(side: bool) -> None:  # noqa: FBT001  # a case
    learnt = learn_shift(decided_as(np.full(300, side), WEIGHTS))
    assert (learnt.obstacle, learnt.shift) == ("all alike", NO_SHIFT)


def test_the_band_alone_and_few_decisions_teach_nothing() -> None:
    near = np.linspace(-1.9, 1.9, 300)
    assert learn_shift(decided_as(near > 0, near)) == Learnt(300, 0, obstacle="only the band")
    few = WEIGHTS[: ENOUGH_DECIDED - 1]
    assert learn_shift(decided_as(few > 0, few)).obstacle == "too few"


def test_decisions_that_follow_the_weights_exactly_change_nothing() -> None:
    learnt = learn_shift(decided_as(WEIGHTS > 0, WEIGHTS))
    assert learnt.obstacle == "nothing to learn"
    assert not learnt.contradicts


def test_decisions_that_part_at_another_weight_move_it_there() -> None:
    learnt = learn_shift(decided_as(WEIGHTS > 4, WEIGHTS))
    assert learnt.shift.slope == 1, "all pairs can be parted: a slope would have no bound"
    assert learnt.shift.offset == pytest.approx(-4, abs=0.5)
    assert learnt.contradicts


def test_a_shift_without_bound_is_not_proposed() -> None:
    learnt = learn_shift(decided_as(WEIGHTS > 9, WEIGHTS))
    assert learnt.obstacle == "too large"
    assert learnt.contradicts


def test_decisions_that_do_not_go_with_the_weights_are_an_alarm() -> None:
    says = np.random.default_rng(1).random(300) < 0.5
    learnt = learn_shift(decided_as(says, WEIGHTS))
    assert learnt.contradicts
    assert learnt.shift == NO_SHIFT


@pytest.mark.parametrize(("lowest", "highest", "alarm"), [(-8, 1.5, False), (-12, 3, True)])
def test_what_does_not_hold_on_pairs_held_out_is_not_proposed(
    lowest: float,
    highest: float,
    alarm: bool,  # noqa: FBT001  # a parameter of pytest
) -> None:
    """One fold says the contrary of the others: each is moved the wrong way by the rest."""
    decided = decided_as(WEIGHTS > 0, WEIGHTS)
    own = decided.fold == 0
    says = np.where(own, lowest < WEIGHTS, highest < WEIGHTS)
    learnt = learn_shift(replace(decided_as(says, WEIGHTS), fold=decided.fold))
    assert learnt.obstacle == "does not hold"
    assert learnt.contradicts == alarm


def test_undecided_pairs_move_by_what_all_say_and_decided_ones_by_their_fold() -> None:
    by_fold = tuple(WeightShift(float(number)) for number in range(FOLDS))
    learnt = Learnt(100, 20, WeightShift(9, 2), by_fold)
    moved = moved_weights(learnt, np.array([1.0, 1.0, 1.0]), np.array([-1, 0, 3]))
    assert moved.tolist() == [11, 1, 4]
