"""What a model knows of errors: other readings, look-alikes, links that no rule finds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from mindfirl.core.progress import no_progress
from mindfirl.core.values.schema import Attribute, Schema
from mindfirl.engine.pairs.candidates import Candidates, Weights
from mindfirl.engine.scoring.blocking import NO_RULES
from mindfirl.engine.scoring.comparisons import comparisons_of
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.error_sources import (
    links_by_no_rule,
    look_alike_share,
    pairs_of_two_people,
    readings_of,
    unclear_others,
)
from mindfirl.engine.scoring.keyed_records import comparable_records
from mindfirl.engine.scoring.model import ClassKind, LearntClass, Level, Model
from mindfirl.engine.scoring.run import score_pairs
from tests.support.scoring_populations import Known, made_up


@pytest.fixture(scope="module")
def known() -> Known:
    return made_up(800)


@pytest.fixture(scope="module")
def scored(known: Known) -> tuple[Candidates, Model]:
    return score_pairs(
        known.identities,
        known.schema,
        known.blocking(5_000),
        mode="dedupe",
        engine=DuckDBEngine(threads=1),
        seed=1,
        progress=no_progress,
    )


def with_unclear(model: Model) -> Model:
    """Add a class of unclear pairs, halfway between matches and strangers."""
    match, stranger = (
        next(each for each in model.classes if each.kind == kind)
        for kind in ("matches", "strangers")
    )
    levels = tuple(
        tuple((one + other) / 2 for one, other in zip(*shares, strict=True))
        for shares in zip(match.levels, stranger.levels, strict=True)
    )
    clear = tuple(each for each in model.classes if each.kind != "unclear")
    return replace(model, classes=(*clear, LearntClass("unclear", match.share / 2, levels)))


def matches_in(weight: Weights) -> float:
    return float((1 / (1 + np.exp2(-weight))).sum())


def test_unclear_pairs_are_read_both_ways(scored: tuple[Candidates, Model]) -> None:
    found, model = scored[0], with_unclear(scored[1])
    levels = [found.levels[name] for name in model.attributes]
    rarity = np.random.default_rng(1).normal(2, 2, len(found))
    stated = replace(found, weight=model.weights(levels, rarity))
    as_matches = replace(
        model,
        classes=tuple(
            replace(each, kind="dirty records") if each.kind == "unclear" else each
            for each in model.classes
        ),
    )
    first, second = readings_of(model, stated, 1_000_000)
    assert first.weight is stated.weight
    for reading, read in ((first, model), (second, as_matches)):
        assert reading.matches is not None
        compared = read.match_share * 1_000_000 - reading.matches + matches_in(reading.weight)
        assert compared == pytest.approx(matches_in(read.weights(levels)), rel=1e-3)
    # Where others hardly matter, rounding decides how little.
    near = np.abs(stated.weight) < 20
    expected = as_matches.weights(levels, rarity)
    assert second.weight[near] == pytest.approx(expected[near], abs=1e-4)


def test_without_unclear_pairs_there_is_one_reading(scored: tuple[Candidates, Model]) -> None:
    found, model = scored
    clear = replace(model, classes=tuple(each for each in model.classes if each.kind != "unclear"))
    assert len(readings_of(clear, found, 100)) == 1


def test_links_that_differ_in_personal_attributes_are_look_alikes(
    known: Known, scored: tuple[Candidates, Model]
) -> None:
    names, size = list(scored[0].levels), 3_000
    links = np.arange(size)

    def graded(levels: dict[str, NDArray[np.uint8]]) -> Candidates:
        return Candidates(links, links + size, np.zeros(size), levels)

    same = {name: np.full(size, 3, np.uint8) for name in names}
    assert look_alike_share(graded(same), links, known.schema) == 0
    rng = np.random.default_rng(2)
    other = rng.random(size) < 0.3
    mixed = {
        name: np.where(other & (rng.random(size) < 0.8), 1, 3).astype(np.uint8) for name in names
    }
    share = look_alike_share(graded(mixed), links, known.schema)
    assert share == pytest.approx(0.3, abs=0.05)


SCHEMA = Schema([Attribute("birth_date", "date"), Attribute("sex", "category")])
DATES = (0.98, 0.005, 0.005, 0.005, 0.003, 0.002)


def with_sexes(differ_if_unclear: float, kind: ClassKind = "unclear") -> Model:
    """Return a model of birth dates and sexes, whose unclear pairs differ so often in the sex."""
    classes = (
        LearntClass("matches", 0.001, (DATES[::-1], (0.02, 0.98))),
        LearntClass("strangers", 0.998, (DATES, (0.5, 0.5))),
        LearntClass(kind, 0.001, (DATES, (differ_if_unclear, 1 - differ_if_unclear))),
    )
    levels = {
        each.attribute: tuple(
            Level(name, 0.0, share) for name, share in zip(each.names, (1, *by), strict=True)
        )
        for each, by in zip(comparisons_of(SCHEMA), (DATES, (0.5, 0.5)), strict=True)
    }
    return Model(levels, -10.0, classes, 1.0, NO_RULES, "dedupe", 1, "duckdb")


def test_a_category_tells_how_many_unclear_pairs_are_of_others() -> None:
    shares = [unclear_others(with_sexes(each), SCHEMA) for each in (0.02, 0.26, 0.5, 0.7)]
    assert shares == pytest.approx([0.0, 0.5, 1.0, 1.0])
    assert unclear_others(with_sexes(0.5, "other people"), SCHEMA) == 0.0
    other = Schema([SCHEMA.attributes[0], Attribute("sex", "string")])
    assert unclear_others(with_sexes(0.5), other) == 0.0


def test_two_birth_dates_or_sexes_that_are_repeated_are_of_two_people() -> None:
    left, right = np.array([(0, 1), (0, 2), (1, 3), (2, 3)]).T
    dates, sexes = (np.array(each, np.uint8) for each in ([6, 1, 6, 6], [2, 2, 1, 2]))
    found = Candidates(left, right, np.zeros(4), {"birth_date": dates, "sex": sexes})
    told = pairs_of_two_people(
        with_sexes(0.5), found, np.zeros(4, np.int64), np.ones(4, np.bool_), SCHEMA
    )
    assert told.apart.tolist() == [False, True, True, False]
    assert told.links == pytest.approx(1 / 0.98 + 1 / 0.5)


def test_rules_tell_what_none_of_them_finds(known: Known, scored: tuple[Candidates, Model]) -> None:
    found, model = scored
    records = comparable_records(known.identities, known.schema, across=False)
    rules = [("birth_date",), ("number",), ("first_name", "last_name")]
    likely = found.probability > 0.01
    times = sum(records.made_by([rule], found.left, found.right).astype(np.int64) for rule in rules)
    once, twice = (found.probability[likely & (times == number)].sum() for number in (1, 2))
    bound = links_by_no_rule(records, rules, found)
    assert bound == pytest.approx(once**2 / (2 * twice) * 2 / 3)
    assert links_by_no_rule(records, rules[:1], found) == 0
    assert model.least_uncompared >= 0
