"""Groups of records against a plain count, and how sure persons are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.linkage_groups import (
    CERTAINTIES,
    Ints,
    LinkedPairs,
    certainty_of,
    linkage_by_group,
    person_probability,
)

RECORDS = 12


@st.composite
def linkages(draw: st.DrawFn) -> LinkedPairs:
    person = draw(st.lists(st.integers(0, 5), min_size=RECORDS, max_size=RECORDS))
    ends = st.tuples(st.integers(0, RECORDS - 1), st.integers(0, RECORDS - 1))
    pairs = draw(st.lists(ends.filter(lambda pair: pair[0] < pair[1]), unique=True, max_size=20))
    chances = draw(st.lists(st.floats(0, 1), min_size=len(pairs), max_size=len(pairs)))
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return LinkedPairs(np.array(person), both[:, 0], both[:, 1], np.array(chances, np.float64))


groupings = st.lists(st.integers(0, 3), min_size=RECORDS, max_size=RECORDS).map(np.array)
NAMES = ("a", "b", "c", "d")


@given(linkages(), groupings)
def test_each_group_is_counted_as_a_loop_counts_it(made: LinkedPairs, group: Ints) -> None:
    sizes = np.bincount(made.person)
    whole = float(np.mean(sizes[made.person] > 1))
    found = linkage_by_group(made, group, NAMES, least=1)
    assert {each.name for each in found} == {NAMES[number] for number in group.tolist()}
    for each in found:
        members = [n for n in range(RECORDS) if NAMES[group[n]] == each.name]
        linked = [n for n in members if sizes[made.person[n]] > 1]
        assert (each.records, each.linked) == (len(members), len(linked))
        assert each.difference == pytest.approx(len(linked) / len(members) - whole)
        links = false = missed = 0.0
        for left, right, chance in zip(made.left, made.right, made.probability, strict=True):
            half = ((left in members) + (right in members)) / 2
            if made.person[left] == made.person[right]:
                links, false = links + half, false + half * (1 - chance)
            else:
                missed += half * chance
        assert each.links == pytest.approx(links)
        assert each.false_links == pytest.approx(false)
        assert each.missed_links == pytest.approx(missed)


@given(linkages(), groupings, st.integers(1, 7))
def test_no_group_of_few_persons_is_told_apart(
    made: LinkedPairs,
    group: Ints,
    least: int,
) -> None:
    found = linkage_by_group(made, group, NAMES, least=least)
    assert all(each.persons >= least for each in found)
    assert [each.name for each in found].count(None) <= 1
    told = sum(each.records for each in found)
    assert told in (0, RECORDS) or all(each.name is not None for each in found)
    enough = len(np.unique(made.person)) >= least
    assert not enough or told == RECORDS, "what is left over is never one small group"


@given(linkages())
def test_a_person_is_as_sure_as_its_least_sure_record(made: LinkedPairs) -> None:
    found = person_probability(made)
    for person in set(made.person.tolist()):
        members = np.flatnonzero(made.person == person).tolist()
        best = dict.fromkeys(members, 0.5)
        for left, right, chance in zip(made.left, made.right, made.probability, strict=True):
            if left in best and right in best:
                best[left], best[right] = max(best[left], chance), max(best[right], chance)
        sure = math.nan if len(members) == 1 else min(best.values())
        assert found[person] == pytest.approx(sure, nan_ok=True)


def test_certainty_is_told_in_coarse_steps() -> None:
    shares = np.array([1, 0.99, 0.98, 0.95, 0.94, 0.9, 0.89, 0.5, np.nan])
    told = certainty_of(shares)
    assert [CERTAINTIES.index(each) for each in told] == [0, 0, 1, 1, 2, 2, 3, 3, 4]
