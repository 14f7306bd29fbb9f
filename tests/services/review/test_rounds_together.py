"""What all people have seen across rounds: a record counts once, by what it still is.

The other way of counting knows no lineage: it finds records by their IDs, and compares values.
"""

from __future__ import annotations

import random
from fractions import Fraction
from math import ceil
from pathlib import Path

import pytest

from mindfirl.core.display.cells import shown_positions
from mindfirl.core.ledger.chain import read
from mindfirl.core.ledger.project_events import DispatchRefused
from mindfirl.core.progress import no_progress
from mindfirl.core.risk.attackers import record_risks
from mindfirl.core.risk.kapr import ROWS, View, view_pair
from mindfirl.core.risk.percent import WHOLE, sufficient_share, write_percent
from mindfirl.core.values.schema import Pair
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.services.data.importing import import_databases
from mindfirl.services.dispatch.dispatches import dispatch_now, withdraw
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.services.report.disclosures import disclosed, project_wide, together
from mindfirl.services.report.ledger_snapshot import read_ledger
from mindfirl.store.ledger.writer import head_of, lines
from mindfirl.store.models import Assignment, LedgerHead
from mindfirl.workspace.refusals import PairsRefused
from mindfirl.workspace.seen_together import count_together
from tests.conftest import Figure
from tests.services.review.test_project_total import open_something, places_in
from tests.support.conflicts import SAME
from tests.support.ledgers import accounts_of, verify_project
from tests.support.proof import FULL
from tests.support.reviews import BANDS, SCHEMA, Study, make_study
from tests.support.rounds import (
    decide_all,
    ids_of,
    import_version,
    index_of,
    renamed,
    stored,
    values_of,
    write_version,
)

CHANGED = {f"c{number}": renamed for number in range(0, 20, 2)}
STARTS: list[dict[str, str]] = [{}, {"sex": "full"}, {"first": "full", "born": "partial"}]
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
        index, ids = index_of(mine.version), ids_of(mine.version)
        for pair in mine.pairs.all():
            state = accounts[str(mine.pk)].state(pair.number)
            view = view_pair(index, Pair(pair.left, pair.right), state)
            found += [(ids[view.records[row]], mine.version.number, view, row) for row in ROWS]
    return found


def naive(study: Study) -> Fraction:
    """Return the sum of p∪/k∪ over all records that were given out, by ID."""
    return sum(naive_risks(study).values(), Fraction(0))


def naive_risks(study: Study) -> dict[str, Fraction]:
    """Return p∪/k∪ of each record that was given out, by its ID."""
    given_in = study.project.versions.filter(assignments__isnull=False).distinct()
    indexes = {each.number: index_of(each) for each in given_in}
    places = {each.number: ids_of(each) for each in study.project.versions.all()}
    rows = rows_of(study)
    latest = {who: number for number in sorted(places) for who in places[number]}
    fewest: dict[str, int] = {}
    for number, index in indexes.items():
        views = {id(view): view for _, version, view, _ in rows if version == number}
        for record, risk in record_risks(index, views.values(), "paper").items():
            who = places[number][record]
            fewest[who] = min(risk.k, fewest.get(who, risk.k))
    shown: dict[str, set[tuple[int, int, int]]] = {}
    values = {each.number: values_of(each) for each in study.project.versions.all()}
    for who, number, view, row in rows:
        old, now = values[number][who], values[latest[who]][who]
        for place, (before, after) in enumerate(zip(old, now, strict=True)):
            if before == after:
                seen = shown_positions(view.differences[place], view.levels[place], row)
                found = {(place, each, len(after)) for each in seen}
                shown.setdefault(who, set()).update(found)
    return {
        who: sum((Fraction(1, length * k) for _, _, length in shown.get(who, ())), Fraction(0))
        for who, k in fewest.items()
    }


def units(study: Study) -> int:
    return count_together(study.project)


def close(one: int, other: Fraction, records: int) -> bool:
    """Say whether units are a sum of risks, each rounded up to a unit."""
    return 0 <= one - other * 10**9 <= records


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(60 if FULL else 3))
def test_exposure_across_rounds_is_the_union_by_id(study: Study, seed: int, figure: Figure) -> None:
    """Two rounds, and in every other history a third: records change again, and some go."""
    dice = random.Random(seed)
    given_now = second_round(study, dice)
    for _ in range(25):
        open_something(dice.choice(given_now), dice)
    for number in range(seed % 2):
        given_now = third_round(study, given_now, dice, number)
        for _ in range(25):
            open_something(dice.choice(given_now), dice)
    seen = rows_of(study)
    assert close(units(study), naive(study), len({who for who, *_ in seen}))
    kept = LedgerHead.objects.get(project=study.project).together
    assert kept == units(study), "what is kept at the head is what is counted from scratch"
    verify_project(study.project)
    rows, versions = len(seen), study.project.versions.count()
    figure(f"{rows} rows of {versions} rounds: the exposure of all is the union over record IDs")


def third_round(
    study: Study, second: list[Assignment], dice: random.Random, number: int
) -> list[Assignment]:
    """Decide all, and import both databases again: others moved, some are gone, some are new."""
    decide_all(second, SAME)
    ids = [f"{name}{place}" for name in "cr" for place in range(20)]
    moved, gone = dice.sample(ids, 8), dice.sample(ids, 3)
    paths = [
        write_version(
            study.folder,
            database,
            changed={who: born_later for who in moved if who[0] == database[0]},
            gone=[who for who in gone if who[0] == database[0]],
            new=[f"{database[0]}9{number}"],
        )
        for database in ("clinic", "register")
    ]
    import_version(study.project, *paths)
    header, *pairs = (study.folder / "pairs.csv").read_text(encoding="utf-8").splitlines()
    kept = [pair for pair in pairs if set(pair.split(",")).isdisjoint(gone)]
    new = [f"c9{number},r{place},0.5" for place in range(20) if f"r{place}" not in gone]
    path = study.folder / "pairs.csv"
    path.write_text("\n".join([header, *kept, *new]) + "\n", encoding="utf-8")
    bring_pairs(project=study.project, path=path, mode=None, progress=no_progress)
    set_bands(project=study.project, bands=BANDS)
    return given(study)


def born_later(row: list[str]) -> list[str]:
    """Correct the year of a birth."""
    return [*row[:3], f"1961{row[3][4:]}", row[4]]


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
    risks = naive_risks(study)
    of_rows = sum((risks[who] for who, *_ in rows), Fraction(0))
    assert told["union"] == pytest.approx(float(of_rows / (len(rows) * 4)), rel=1e-9)
    whole = project_wide(study.project)
    assert whole is not None
    assert whole["score"] == pytest.approx(float(share_of(study)), rel=1e-6)
    assert whole["records"] * 4 == places_in(study.folder)


def corrected_round(study: Study, dice: random.Random, schema: str) -> list[Assignment]:
    """Open something, decide all, correct the columns, and give new pairs out."""
    first = given(study)
    for _ in range(60):
        open_something(dice.choice(first), dice)
    decide_all(first, SAME)
    values_of(study.project.versions.get())
    import_databases(project=study.project, sources={}, schema=parse_schema(schema, "schema.toml"))
    path = study.folder / "pairs.csv"
    header, *pairs = path.read_text(encoding="utf-8").splitlines()
    known = {tuple(pair.split(",")[:2]) for pair in pairs}
    new = [(f"c{place}", f"r{(place + 1) % 20}") for place in range(20)]
    lines = [f"{one},{other},0.5" for one, other in new if (one, other) not in known]
    path.write_text("\n".join([header, *pairs, *lines]) + "\n", encoding="utf-8")
    bring_pairs(project=study.project, path=path, mode=None, progress=no_progress)
    set_bands(project=study.project, bands=BANDS)
    return given(study)


@pytest.mark.parametrize(
    "schema",
    [
        SCHEMA.replace('name = "last"', 'name = "surname"\ncolumn = "last"').replace(
            '"last"]]', '"surname"]]'
        ),
        SCHEMA.replace('name = "last"', 'name = "-"\ncolumn = "last"')
        .replace('name = "first"', 'name = "last"\ncolumn = "first"')
        .replace('name = "-"', 'name = "first"'),
    ],
    ids=["another name", "names exchanged"],
)
def test_a_corrected_name_forgets_nothing_that_was_seen(study: Study, schema: str) -> None:
    dice = random.Random(8)
    second = corrected_round(study, dice, schema)
    assert close(units(study), naive(study), len(rows_of(study)))
    for _ in range(25):
        open_something(dice.choice(second), dice)
    assert close(units(study), naive(study), len(rows_of(study)))
    verify_project(study.project)


def test_a_column_that_is_left_out_still_counts(study: Study) -> None:
    """What was seen of it stays seen, as if the attribute were still there."""
    dice = random.Random(8)
    sex = """
[[attribute]]
name = "sex"
kind = "category"
"""
    corrected_round(study, dice, SCHEMA.replace(sex, ""))
    first = study.project.versions.get(number=1)
    rows = [row for row in rows_of(study) if row[1] == first.number]
    views = {id(view): view for _, _, view, _ in rows}.values()
    risks = record_risks(index_of(first), views, "paper")
    least = sum((risk.exact(1) for risk in risks.values()), Fraction(0))
    assert units(study) >= least * 10**9


def fewer_pairs(study: Study, dice: random.Random) -> None:
    """Bring the pairs of some records alone: those who changed, and a few others."""
    path = study.folder / "pairs.csv"
    header, *pairs = path.read_text(encoding="utf-8").splitlines()
    some = {*CHANGED, *dice.sample([f"c{number}" for number in range(1, 20, 2)], 2)}
    kept = [pair for pair in pairs if pair.split(",")[0] in some]
    path.write_text("\n".join([header, *kept]) + "\n", encoding="utf-8")


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(6, 66 if FULL else 10))
def test_the_limit_for_all_holds_across_rounds(study: Study, seed: int, figure: Figure) -> None:
    """A second round of fewer records and of cells that start open, beside people of the first.

    It is refused where that would put all people above their limit, with a limit that suffices.
    """
    dice = random.Random(seed)
    first = given(study, "3")
    for _ in range(60):
        open_something(dice.choice(first), dice)
        assert share_of(study) <= Fraction(3, 100)
    decide_all(first[: dice.randrange(len(first) + 1)], SAME)
    import_version(study.project, write_version(study.folder, changed=CHANGED))
    fewer_pairs(study, dice)
    bring_pairs(
        project=study.project, path=study.folder / "pairs.csv", mode=None, progress=no_progress
    )
    set_bands(project=study.project, bands=BANDS)
    starting, limit = dice.choice(STARTS), dice.choice(["1", "3", "10"])
    told = refused_limit(study, limit, starting)
    dealt = share_of(study)
    assert told == [sufficient_share(ceil(dealt * WHOLE))] * (dealt > Fraction(int(limit), 100))
    limits = [Fraction(each, WHOLE) for each in told] or [Fraction(int(limit), 100)]
    everybody = stored(study.project.assignments.filter(state="open"))
    refused = 0
    for _ in range(60):
        answer = open_something(dice.choice(everybody), dice)
        refused += answer is not None and answer.refused == "together"
        assert share_of(study) <= limits[0]
    assert refusals(study) == told
    verify_project(study.project)
    about = f"{len(told)} dispatches and {refused} of 60 openings refused"
    figure(f"limit for all across two rounds: {about}, 0 times above it")


def share_of(study: Study) -> Fraction:
    """Return the project-wide score by the ledger and record IDs, of the newest round."""
    return naive(study) / places_in(study.folder)


def refused_limit(study: Study, limit: str, starting: dict[str, str]) -> list[int]:
    """Give pairs out; where the limit for all refuses that, with the limit that was told."""
    study.plan(budget="100", project_limit=limit, reviews=1, starting=starting)
    before, proposed = study.project.assignments.count(), study.confirmed()
    try:
        dispatch_now(dispatch=proposed)
    except PairsRefused as error:
        assert study.project.assignments.count() == before
        withdraw(dispatch=proposed, actor=study.actor)
        enough = write_percent(error.sufficient)
        return [error.sufficient, *refused_limit(study, enough, starting)]
    return []


def refusals(study: Study) -> list[int]:
    told = [entry.event for entry in read(lines(study.project))]
    found = [each for each in told if isinstance(each, DispatchRefused)]
    return [each.sufficient for each in found if each.exceeded == "together"]
