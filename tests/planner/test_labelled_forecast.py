"""A forecast in a notebook: pairs, and which of them are the same."""

from __future__ import annotations

import pytest

import mindfirl as mf
from mindfirl.synthetic.individuals import SCHEMA
from mindfirl.synthetic.look_alikes import look_alikes
from tests.support.planned import uncertain_look_alikes


def test_labelled_pairs_of_a_population_are_forecast() -> None:
    population = mf.Population(SCHEMA, look_alikes(600, seed=1).records)
    found = uncertain_look_alikes(600)
    pairs = [population.pair(*each) for each in zip(found.left, found.right, strict=True)]
    forecast = population.forecast(pairs, found.same.tolist())
    assert forecast.promises
    assert forecast.band.pairs == len(pairs)
    assert forecast.band.recommended(of_people=True).budget < forecast.band.full.budget
    differing, full = forecast.band.policies["differing full"][0], forecast.band.full
    assert differing.characters < 0.7 * full.characters
    assert differing.people == pytest.approx(full.people, abs=0.01), "identical values can hide"
    with pytest.raises(mf.MindfirlError, match="Give one for each"):
        population.forecast(pairs, [True])
