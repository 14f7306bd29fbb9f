"""What all people have seen across rounds: a record counts once, by what it still is.

The other way of counting knows no lineage: it finds records by their IDs, and compares values.
"""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

from mindfirl.core.display.cells import shown_positions
from mindfirl.core.progress import no_progress
from mindfirl.core.risk.attackers import record_risks
from mindfirl.core.risk.kapr import ROWS, View, view_pair
from mindfirl.core.values.schema import Pair
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.services.report.disclosures import disclosed, together
from mindfirl.services.report.ledger_snapshot import read_ledger
from mindfirl.services.review.disclosure.opened import count_together
from mindfirl.store.ledger.writer import head_of
from mindfirl.store.models import Assignment, LedgerHead
from mindfirl.workspace.open_version import population_of
from tests.services.review.test_project_total import open_something
from tests.support.conflicts import SAME
from tests.support.ledgers import accounts_of, verify_project
from tests.support.reviews import BANDS, Study, make_study
from tests.support.rounds import decide_all, ids_of, import_version, renamed, stored, write_version

CHANGED = {f"c{number}": renamed for number in range(0, 20, 2)}
Row = tuple[str, int, View, int]
"""The ID of a record, the number of the version, the pair in its state, and which row it is."""


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=20, pairs=60)


def given(study: Study, limit: str = "100") -> list[Assignment]:
    study.plan(budget="100", project_limit=limit, reviews=1)
    return stored(study.dispatched())


def second_round(study: Study, dice: random.Random, limit: str = "100") -> list[Assignment]:
    """Open something, decide all, import the clinic with changes, and give pairs out again."""
    first = given(study, limit)
    for _ in range(60):
        open_something(dice.choice(first), dice)
    decide_all(first, SAME)
    version = import_version(study.project, write_version(study.folder, changed=CHANGED))
    path = study.folder / "pairs.csv"
    bring_pairs(project=study.project, path=path, mode=None, progress=no_progress)
    set_bands(project=study.project, bands=BANDS)
    assert version.number == 2
    return given(study, limit)


def rows_of(study: Study) -> list[Row]:
    accounts, found = accounts_of(study.project), []
    for mine in study.project.assignments.select_related("version"):
        index, ids = population_of(mine), ids_of(mine.version)
        for pair in mine.pairs.all():
            state = accounts[str(mine.pk)].state(pair.number)
            view = view_pair(index, Pair(pair.left, pair.right), state)
            found += [(ids[view.records[row]], mine.version.number, view, row) for row in ROWS]
    return found


def naive(study: Study) -> Fraction:
    """Return the sum over all rows of what was seen of their records, by ID."""
    indexes = {each.version.number: population_of(each) for each in study.project.assignments.all()}
    places = {each.number: ids_of(each) for each in study.project.versions.all()}
    rows, newest = rows_of(study), max(indexes)
    names = indexes[newest].schema.names
    fewest: dict[str, int] = {}
    for number, index in indexes.items():
        views = {id(view): view for _, version, view, _ in rows if version == number}
        for record, risk in record_risks(index, views.values(), "paper").items():
            who = places[number][record]
            fewest[who] = min(risk.k, fewest.get(who, risk.k))
    shown: dict[str, set[tuple[int, int, int]]] = {}
    for who, number, view, row in rows:
        old = indexes[number].record(places[number].index(who))
        now = indexes[newest].record(places[newest].index(who))
        for place, _ in enumerate(names):
            if old[place].reveal() == now[place].reveal():
                seen = shown_positions(view.differences[place], view.levels[place], row)
                column = indexes[newest].columns[place]
                code = int(column.codes[places[newest].index(who)])
                length = column.values.length(code)
                shown.setdefault(who, set()).update((place, each, length) for each in seen)
    return sum(
        (
            sum((Fraction(1, length) for _, _, length in shown.get(who, ())), Fraction(0))
            / fewest[who]
            for who, *_ in rows
        ),
        Fraction(0),
    )


def units(study: Study) -> int:
    return count_together(study.project)


def close(one: int, other: Fraction, rows: int) -> bool:
    """Say whether units are a sum of risks, each rounded up to a unit."""
    return 0 <= one - other * 10**9 <= rows


@pytest.mark.parametrize("seed", range(3))
def test_exposure_across_rounds_is_the_union_by_id(study: Study, seed: int) -> None:
    dice = random.Random(seed)
    second = second_round(study, dice)
    for _ in range(25):
        open_something(dice.choice(second), dice)
    rows = len(rows_of(study))
    assert close(units(study), naive(study), rows)
    kept = LedgerHead.objects.get(project=study.project).together
    assert kept == units(study), "what is kept at the head is what is counted from scratch"
    verify_project(study.project)


def test_the_report_counts_as_the_limit_does(study: Study) -> None:
    dice = random.Random(5)
    second = second_round(study, dice)
    for _ in range(25):
        open_something(dice.choice(second), dice)
    assignments = list(study.project.assignments.select_related("version"))
    ledger = read_ledger(study.project, head_of(study.project))
    found = disclosed(assignments, ledger, no_progress)
    told = together(assignments, ledger, found)["exposure"]
    rows = rows_of(study)
    assert told["rows"] == len(rows)
    assert told["union"] == pytest.approx(float(naive(study) / (len(rows) * 4)), rel=1e-9)


def test_the_limit_for_all_runs_on(study: Study) -> None:
    dice = random.Random(6)
    second = second_round(study, dice, limit="3")
    places = sum(2 * each.size * 4 for each in study.project.assignments.all())
    refused = 0
    for _ in range(60):
        answer = open_something(dice.choice(second), dice)
        refused += answer is not None and answer.refused is not None
        assert units(study) <= 30_000_000 * places
    assert refused > 0
