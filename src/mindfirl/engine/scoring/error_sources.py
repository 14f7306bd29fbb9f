"""What a model knows of a linkage's errors beside the weights that it gave to pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mindfirl.core.differing_together import share_of_others
from mindfirl.core.merging.weighing import Flags
from mindfirl.core.persons import PairPositions
from mindfirl.core.stated_errors import Reading, least_uncompared
from mindfirl.core.two_people import ComparedValues, ToldApart, repeating_two
from mindfirl.core.values.schema import Kind, Schema
from mindfirl.engine.pairs.candidates import Candidates, Positions, Weights
from mindfirl.engine.scoring.blocking import Rule
from mindfirl.engine.scoring.comparisons import DIFFERENT, comparisons_of
from mindfirl.engine.scoring.keyed_records import KeyedRecords
from mindfirl.engine.scoring.learning.class_kinds import others_by_category
from mindfirl.engine.scoring.model import Model

_REPEATED: Final[tuple[Kind, ...]] = ("date", "category")
_KNOWN: Final = 0.25
"""A value in which strangers differ less often than this does not tell."""
_LIKELY: Final = 0.01
"""Pairs that are less likely of one person do not tell how often rules find a link."""


def readings_of(model: Model, candidates: Candidates, possible: int) -> list[Reading]:
    """Return how pairs were weighed, and how they would be if unclear ones were of one person.

    ``possible`` is the number of all pairs of records that the model speaks of. Matches are counted
    as weights do, which know how rare values are; training does not. What it says of pairs that
    were never compared stays the same.
    """
    levels = _levels(model, candidates)
    usual = model.weights(levels)
    learnt = candidates.weight - model.rival_bits
    matches = model.match_share * possible + _matches(learnt) - _matches(usual)
    found = [Reading(candidates.weight, matches)]
    if model.unclear_share:
        weight, as_usual = (
            model.weights_if_unclear_match(levels, each) for each in (candidates.weight, usual)
        )
        matches = (model.match_share + model.unclear_share) * possible
        found.append(Reading(weight, matches + _matches(weight) - _matches(as_usual)))
    return found


def _matches(weight: Weights) -> float:
    return float(_probability(weight).sum())


def _probability(weight: Weights) -> Weights:
    found: Weights = np.exp2(-np.logaddexp2(0, -weight))
    return found


def _levels(model: Model, candidates: Candidates) -> list[Positions]:
    return [candidates.levels[name] for name in model.attributes]


def look_alike_share(candidates: Candidates, links: Positions, schema: Schema) -> float:
    """Return the share of links, by number, that differ in personal attributes as relatives do."""
    chosen = [each for each in comparisons_of(schema) if each.is_personal]
    levels = [candidates.levels[each.attribute][links] for each in chosen]
    numbers = [each.names.index(DIFFERENT) for each in chosen]
    differs = [level == number for level, number in zip(levels, numbers, strict=True)]
    filled = [level > 0 for level in levels]
    shape = (len(chosen), len(links))
    return share_of_others(np.reshape(differs, shape), np.reshape(filled, shape))


def pairs_of_two_people(
    model: Model, candidates: Candidates, person: Positions, counted: Flags, schema: Schema
) -> ToldApart:
    """Say which candidates are of two people who both repeat a date or category of their own.

    Those ``counted`` can be links. Names do not tell: people are called by several.
    """
    values = []
    for kind in _REPEATED:
        for each in comparisons_of(schema):
            by_chance = model.attributes[each.attribute][1].by_chance
            if each.kind == kind and by_chance > _KNOWN:
                levels = candidates.levels[each.attribute]
                agree = levels == len(each.names) - 1
                values.append(ComparedValues(levels > 0, agree, levels == 1, by_chance))
    return repeating_two(person, PairPositions(candidates.left, candidates.right), values, counted)


def unclear_others(model: Model, schema: Schema) -> float:
    """Return what share of unclear pairs is of different people, by how often a category differs.

    Without a category that tells, it is 0.
    """
    unclear = [each for each in model.classes if each.kind == "unclear"]
    if not unclear:
        return 0.0
    match, strangers = (
        next(each.levels for each in model.classes if each.kind == kind)
        for kind in ("matches", "strangers")
    )
    sizes = [each.share for each in unclear]
    levels = [
        np.average(tables, axis=0, weights=sizes)
        for tables in zip(*(each.levels for each in unclear), strict=True)
    ]
    categories = [each.place for each in comparisons_of(schema) if each.kind == "category"]
    return min(others_by_category(levels, match, strangers, categories), 1.0)


def false_link_ratio(model: Model, candidates: Candidates, above: float) -> float | None:
    """Return how many false links pairs inside databases foretell for each one by the weights.

    Both are counted above a weight, before rivals exclude each other. It is None where no database
    is known to be without duplicates.
    """
    foretold = model.false_links_above(above - model.rival_bits)
    if foretold is None:
        return None
    expected = 1 - _probability(candidates.weight[candidates.weight > above] - model.rival_bits)
    return foretold / max(float(expected.sum()), 1.0)


def links_by_no_rule(records: KeyedRecords, rules: Sequence[Rule], candidates: Candidates) -> float:
    """Return how many links at least no rule finds, by how many rules find the others."""
    likely = np.flatnonzero(candidates.probability > _LIKELY)
    times = records.times_made(rules, candidates.left[likely], candidates.right[likely])
    found = np.bincount(times, candidates.probability[likely], minlength=3)
    return least_uncompared(found.astype(np.float64), len(rules))
