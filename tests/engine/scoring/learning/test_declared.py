"""Pairs inside databases without duplicates teach what different people have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mindfirl.core.progress import no_progress
from mindfirl.core.values.schema import Schema
from mindfirl.engine.pairs.candidates import Candidates
from mindfirl.engine.scoring.blocking import Blocking, Mode, choose_blocking
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.learning import training
from mindfirl.engine.scoring.learning.counting import strict_rules, weigh_pairs
from mindfirl.engine.scoring.learning.declared import (
    Differing,
    false_links_by_weight,
    learn_matches,
    learn_other_people,
)
from mindfirl.engine.scoring.learning.estimation import (
    Counts,
    PairClass,
    Tables,
    estimate,
    two_classes,
)
from mindfirl.engine.scoring.learning.pair_scopes import Scope, learnt_from
from mindfirl.engine.scoring.learning.patterns import count_patterns
from mindfirl.engine.scoring.learning.unions import Union
from mindfirl.engine.scoring.model import Model
from mindfirl.engine.scoring.run import predict_weights, score_pairs
from mindfirl.engine.scoring.splink_inputs import Session, session
from mindfirl.engine.separation.separate import kept_columns
from mindfirl.synthetic.individuals import SCHEMA
from mindfirl.synthetic.look_alikes import look_alikes
from tests.engine.scoring.learning.test_estimation import CHANCE, MATCH, RULES, counted, tables

ENGINE = DuckDBEngine(threads=2)
TWINS = [[90, 5, 2, 3], [5, 3, 2, 90], [90, 5, 5], [2, 2, 2, 4, 90], [50, 50]]
"""The levels of pairs of twins: another first name, and all else as in one person's records."""


def drawn(
    sizes: dict[str, int], rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Draw pairs of each class; say which are matches."""
    made = {"matches": MATCH, "twins": TWINS, "strangers": CHANCE}
    levels = [
        np.stack([rng.choice(len(one), size, p=one) + 1 for one in tables(made[name])], axis=1)
        for name, size in sizes.items()
    ]
    same = np.repeat([name == "matches" for name in sizes], list(sizes.values()))
    return np.concatenate(levels).astype(np.uint8), same


def learnt(
    across: Counts, inside: Counts, union: Union, share: float = 0.001
) -> tuple[list[PairClass], list[PairClass], bool]:
    """Learn other people from pairs inside, then matches beside them."""
    chance = tables(CHANCE)
    match = estimate(across, two_classes(chance, share), union).classes[0]
    differing = Differing([True, False, True, False, False], [True, False, False, False, False])
    starts = differing.starts(match.levels, chance)
    other = learn_other_people(inside, starts, chance, share, union)
    found, noticed = learn_matches(across, match, chance, other, union)
    assert np.all(np.diff(found.likelihoods) > -1e-6)
    return other, found.classes, noticed


@pytest.mark.parametrize("seed", [1, 2])
def test_matches_are_found_beside_as_many_twins(seed: int) -> None:
    rng, union = np.random.default_rng(seed), Union(RULES)
    across, _ = drawn({"matches": 500, "twins": 500, "strangers": 199_000}, rng)
    inside, _ = drawn({"twins": 500, "strangers": 199_500}, rng)
    other, found, noticed = learnt(counted(across, union), counted(inside, union), union)
    assert not noticed
    assert found[0].share * 200_000 == pytest.approx(500, rel=0.1)
    rates = [each.share / found[1].share for each in found[1:]]
    assert rates == pytest.approx([each.share / other[0].share for each in other])
    for levels, true in zip(found[0].levels, tables(MATCH), strict=True):
        assert np.abs(levels - true).max() < 0.06


def test_rates_that_differ_across_are_learnt_there_and_told() -> None:
    rng, union = np.random.default_rng(1), Union(RULES)
    across, _ = drawn({"matches": 500, "twins": 2_000, "strangers": 197_500}, rng)
    inside, _ = drawn({"twins": 500, "strangers": 199_500}, rng)
    _, found, noticed = learnt(counted(across, union), counted(inside, union), union)
    assert noticed
    assert found[0].share * 200_000 == pytest.approx(500, rel=0.2)


@settings(max_examples=4)
@given(st.integers(0, 10_000), st.integers(100, 900))
def test_a_false_declaration_links_nobody_else(seed: int, duplicates: int) -> None:
    rng, union = np.random.default_rng(seed), Union(RULES)
    pairs, same = drawn({"matches": 500, "twins": 300, "strangers": 99_200}, rng)
    inside, _ = drawn({"matches": duplicates, "twins": 300, "strangers": 99_000}, rng)
    _, found, _ = learnt(counted(pairs, union), counted(inside, union), union)
    bits = [np.log2(each.share) + _bits(pairs, each) for each in found]
    linked = bits[0] > np.logaddexp2.reduce(bits[1:])
    assert np.count_nonzero(linked & ~same) <= 10


def _bits(levels: NDArray[np.uint8], learnt: PairClass) -> NDArray[np.float64]:
    columns = zip(learnt.levels, levels.T, strict=True)
    found = np.zeros(len(levels))
    for table, numbers in columns:
        found += np.log2(table)[numbers - 1]
    return found


def test_false_links_are_counted_by_whole_weights() -> None:
    found = false_links_by_weight(np.array([-20.0, -0.5, 0.0, 2.4, 2.6]), 2.0)
    assert dict(found) == {**dict.fromkeys(range(-10, 0), 8.0), 0: 6, 1: 4, 2: 4, 3: 0}
    nothing = np.array([])
    assert false_links_by_weight(nothing, 2.0) == ((-10, 0),)


@pytest.fixture(scope="module")
def people() -> tuple[list[pa.Table], NDArray[np.int64]]:
    """Two databases of people who look alike; nobody occurs twice in either."""
    made = look_alikes(500, seed=4)
    halves = [made.records.slice(0, made.hospital), made.records.slice(made.hospital)]
    return halves, made.person


def blocking_of(
    databases: Sequence[pa.Table], schema: Schema, mode: Mode, most: int = 100_000
) -> Blocking:
    columns = kept_columns(pa.concat_tables(databases), schema.names)
    starts = [0, *np.cumsum([len(each) for each in databases])[:-1].tolist()]
    return choose_blocking(schema, columns, starts, mode=mode, most=most)


def scored(
    databases: Sequence[pa.Table], mode: Mode, without_duplicates: Sequence[int]
) -> tuple[Candidates, Model]:
    return score_pairs(
        databases,
        SCHEMA,
        blocking_of(databases, SCHEMA, mode),
        mode=mode,
        engine=ENGINE,
        seed=1,
        without_duplicates=without_duplicates,
    )


def test_a_declaration_finds_fewer_false_links_and_forecasts_them(
    people: tuple[list[pa.Table], NDArray[np.int64]],
) -> None:
    databases, person = people
    plain, declared = (scored(databases, "link", numbers) for numbers in ((), (0, 1)))
    false = [  # what is forecast leaves out that rivals exclude each other
        np.count_nonzero(
            (found.weight > model.rival_bits) & (person[found.left] != person[found.right])
        )
        for found, model in (plain, declared)
    ]
    assert declared[1].rival_bits > plain[1].rival_bits == 0
    assert false[1] < false[0] / 2
    assert plain[1].false_links_above(0) is None
    forecast = declared[1].false_links_above(0)
    assert forecast is not None
    assert abs(forecast - false[1]) < 10
    assert declared[1].false_links_above(500) == 0
    assert declared[1].false_links_above(-11) is None
    assert Model.from_json(declared[1].to_json()) == declared[1]


def test_learning_begins_again_where_two_classes_learnt_people_of_one_sex(
    people: tuple[list[pa.Table], NDArray[np.int64]], monkeypatch: pytest.MonkeyPatch
) -> None:
    databases, person = people
    assert SCHEMA.names[-2] == "sex"

    def of_one_sex(chance: Tables, share: float) -> list[PairClass]:
        match, strangers = two_classes(chance, share)
        levels = [*chance[:-2], match.levels[-2], chance[-1]]
        return [replace(match, levels=levels, prior=[1e7 * each for each in levels]), strangers]

    monkeypatch.setattr(training, "two_classes", of_one_sex)
    found, model = scored(databases, "link", (0, 1))
    assert not model.cannot_tell
    linked = found.weight > model.rival_bits
    true = person[found.left] == person[found.right]
    assert np.count_nonzero(linked & ~true) <= 10
    assert np.count_nonzero(linked & true) > 0.8 * (len(person) - len(np.unique(person)))


def test_a_database_with_duplicates_that_is_declared_gains_no_false_links(
    people: tuple[list[pa.Table], NDArray[np.int64]],
) -> None:
    (one, other), person = people
    twice = [pa.concat_tables([one, other.slice(0, 200)]), other.slice(200)]
    plain, declared = (scored(twice, "link", numbers) for numbers in ((), (0, 1)))
    false = [
        np.count_nonzero((found.weight > 0) & (person[found.left] != person[found.right]))
        for found, _ in (plain, declared)
    ]
    assert false[1] <= false[0]
    links = np.count_nonzero(declared[0].weight > 0)
    assert (
        declared[1].cannot_tell
        or declared[1].warnings
        or links <= np.count_nonzero(plain[0].weight > 0)
    )


@pytest.mark.parametrize(
    ("mode", "declared", "inside"),
    [
        ("link", (), False),
        ("link", (0, 1), True),
        ("link", (1,), True),
        ("both", (0,), True),
        ("both", (0, 1), True),
        ("dedupe", (), False),
    ],
)
def test_pairs_are_those_that_are_meant(
    mode: Mode, declared: Sequence[int], *, inside: bool
) -> None:
    values = [None, "ANNA", "ANNA", "BERTA", "ANNA", None]
    schema = Schema(SCHEMA.attributes[:1])
    name = schema.names[0]
    databases = [pa.table({name: part}) for part in (values[:3], values[3:])]
    parts = [0, 0, 0, 1, 1, 1]
    with session(databases, schema, mode=mode, engine=ENGINE) as opened:
        across, certain = learnt_from(opened, declared)
        assert (certain is not None) == inside
        apart = {0, 1} if mode == "link" else set(declared)
        for scope in (across, certain):
            if scope is None:
                continue
            meant = [
                (one, two)
                for one, two in combinations(range(6), 2)
                if (
                    parts[one] == parts[two] and parts[one] in (declared if scope.inside else apart)
                )
                == scope.inside
            ]
            _check(scope, values, meant)


def _check(scope: Scope, values: Sequence[str | None], meant: Sequence[tuple[int, int]]) -> None:
    same = sum(values[one] == values[two] != None for one, two in meant)  # noqa: E711  # both known
    rule = (scope.session.schema.names[0],)
    assert scope.possible == len(meant)
    assert scope.sharing(scope.session.codes[0]) == same
    gone = np.array([[value is None] for value in values])
    flags, pairs = scope.missing(gone)
    lacking = sum(values[one] is None or values[two] is None for one, two in meant)
    assert dict(zip(flags[:, 0].tolist(), pairs.tolist(), strict=True)).get(True, 0) == lacking
    assert count_patterns(scope.session, [scope.rule_sql(rule)]).counts.sum() == same
    everything = count_patterns(scope.session, [scope.sample_sql(1_000)])
    assert everything.counts.sum() == len(meant)


def test_certain_pairs_are_left_out_where_no_other_pair_is() -> None:
    schema = Schema(SCHEMA.attributes[:1])
    table = pa.table({schema.names[0]: ["ANNA", "ANNA", "BERTA"]})
    with session([table], schema, mode="dedupe", engine=ENGINE) as opened:
        pairs, certain = learnt_from(opened, (0,))
    assert certain is None
    assert pairs.possible == 3


def test_pairs_weigh_what_splink_says(people: tuple[list[pa.Table], NDArray[np.int64]]) -> None:
    databases, _ = people
    found, model = scored(databases, "link", ())
    rules = strict_rules(model.blocking)
    with session(databases, SCHEMA, mode="link", engine=ENGINE) as opened:
        weights, one_in = weigh_pairs(Scope(opened, (0, 1)), rules, model)
        strict = Blocking(tuple(rules), tuple(rules.values()))
        by_splink = _predicted(opened, model, strict)
    assert one_in == 1
    heavy = np.sort(weights[weights > 0])
    assert heavy == pytest.approx(np.sort(by_splink[by_splink > 0]), abs=1e-6)
    assert len(heavy) > 100
    assert len(found) >= len(heavy)


def _predicted(opened: Session, model: Model, blocking: Blocking) -> NDArray[np.float64]:
    found = predict_weights(
        opened, replace(model, blocking=blocking), least_weight=-5, progress=no_progress
    )
    return found.weight
