"""Starting levels: charged as the state they make, and never below κ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mindfirl.cli.standalone.score import RECORDS, SCHEMA
from mindfirl.core.population.index import build_index
from mindfirl.core.risk import kapr
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import LEVELS, Accounting, Attribute, Level, Schema
from mindfirl.engine.bands.starting_levels import Start, start_of
from tests.support.core_worlds import Case, cases


def ks(case: Case, state: dict[str, Level], place: int = 0) -> list[int]:
    seen = kapr.view_pair(case.index, case.display[place][0], state)
    return [risk.k for risk in kapr.row_risks(case.index, seen, "paper")]


@given(cases(), st.sampled_from(["paper", "strict"]))
def test_the_charge_is_that_of_the_state_and_no_row_is_below_the_floor(
    case: Case, accounting: Accounting
) -> None:
    for place, (pair, planned) in enumerate(case.display):
        kappa = min(case.kappa, case.index.size)
        start = start_of(case.index, pair, planned, kappa=kappa, accounting=accounting)
        state = planned | dict(start.lower)
        seen = kapr.view_pair(case.index, pair, state)
        assert start.charge == kapr.units(kapr.row_risks(case.index, seen, accounting), kappa)
        assert min(ks(case, state, place)) >= kappa
        for name, level in start.lower:
            assert LEVELS.index(level) < LEVELS.index(planned[name])


@given(cases())
def test_only_what_breaks_the_floor_is_left_masked(case: Case) -> None:
    groups = {name: group for group in case.schema.swap_groups for name in group}
    for place, (pair, planned) in enumerate(case.display):
        kappa = min(case.kappa, case.index.size)
        start = start_of(case.index, pair, planned, kappa=kappa, accounting="paper")
        state = planned | dict(start.lower)
        for name, level in start.lower:
            partner = next((each for each in groups.get(name, ()) if each != name), name)
            assert (
                level != "masked"
                or LEVELS.index(planned[partner]) < LEVELS.index(planned[name])
                or min(ks(case, {**state, name: planned[name]}, place)) < kappa
            )


def test_without_a_floor_all_cells_start_as_planned() -> None:
    index = build_index(SCHEMA, raw_columns(SCHEMA.names, RECORDS))
    state: dict[str, Level] = dict.fromkeys(SCHEMA.names, "full")
    start = start_of(index, index.pair(0, 1), state, kappa=1, accounting="paper")
    assert start == Start(6 * kapr.UNITS)
    assert start_of(index, index.pair(0, 1), {}, kappa=1, accounting="paper") == Start()


def test_a_swapped_group_starts_at_its_lower_level() -> None:
    schema = Schema(
        [Attribute("first", "string"), Attribute("last", "string")],
        swap_groups=[("first", "last")],
    )
    rows = [{"first": "Ann", "last": "Lee"}, {"first": "Lee", "last": "Ann"}]
    index = build_index(schema, raw_columns(schema.names, rows))
    one = start_of(index, index.pair(0, 1), {"first": "full"}, kappa=1, accounting="paper")
    assert one == Start(0, (("first", "masked"),))
    both = start_of(
        index, index.pair(0, 1), {"first": "full", "last": "full"}, kappa=1, accounting="paper"
    )
    assert both == Start(4 * kapr.UNITS)
    floor = start_of(
        index, index.pair(0, 1), {"first": "full", "last": "full"}, kappa=2, accounting="paper"
    )
    assert floor == Start(0, (("first", "masked"), ("last", "masked")))
