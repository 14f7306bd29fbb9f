"""A registry over the years: what is carried, asked again and void, against what really changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from mindfirl.core.errors import SettingError
from mindfirl.core.linkage_measures import LinkageMeasures, measure_linkage
from mindfirl.core.persons import PairPositions
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.services.data.importing import import_databases
from mindfirl.services.link import link_records
from mindfirl.services.pairs import bands_for, set_bands
from mindfirl.services.projects import create_project
from mindfirl.store import vault
from mindfirl.store.models import Assignment, Linkage, Project, Version
from mindfirl.synthetic.yearly_registry import NAMES, RegistryYear, registry_years
from mindfirl.workspace.carried_votes import pairs_to_ask_again, votes_in
from mindfirl.workspace.open_pairs import open_pairs
from tests.conftest import Figure
from tests.support.conflicts import DIFFERENT, SAME, hand_in, say
from tests.support.ledgers import verify_project
from tests.support.projects import done
from tests.support.proof import FULL
from tests.support.reviews import Study, account
from tests.support.rounds import by_id, ids_of, pairs_of, stored

PEOPLE, YEARS = (20_000, 5) if FULL else (160, 3)
FOR_PEOPLE = PEOPLE // 20
"""How many pairs lie between the thresholds each year, decided or not."""
SEED = 17
SCHEMA = """
record_id = "record_no"
date_order = "mdy"
without_duplicates = ["hospital", "registry"]
swap_groups = [["first_name", "last_name"]]
attribute = [
    { name = "first_name", kind = "string" },
    { name = "last_name", kind = "string" },
    { name = "birth_date", kind = "date" },
    { name = "number", kind = "fixed" },
    { name = "zip", kind = "fixed" },
    { name = "sex", kind = "category" },
    { name = "race", kind = "category" },
]

[[sensitive]]
name = "state"
"""
Pair = frozenset[str]


@dataclass
class Registry:
    """A project that gets a new version every year, and what is known of the truth."""

    folder: Path
    study: Study
    rows: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    standing: set[Pair] = field(default_factory=set)
    again: set[Pair] = field(default_factory=set)

    def import_year(self, year: RegistryYear) -> Version:
        version = import_year(self.study.project, self.folder, year)
        rows = rows_of(year)
        there = {pair for pair in self.standing if all(each in rows for each in pair)}
        same = {pair for pair in there if all(rows[each] == self.rows[each] for each in pair)}
        self.again, self.standing, self.rows = there - same, same, rows
        return version

    def review(self, year: RegistryYear) -> int:
        """Let the pairs of this year be decided rightly; return how many were asked."""
        try:
            given = stored(self.study.dispatched())
        except SettingError:
            return 0
        for mine in given:
            decide_truly(mine, year)
        asked = pairs_of(self.study, given[0].version)
        assert not asked & self.standing, "an unchanged pair was asked again"
        self.standing |= asked
        return len(asked)


def rows_of(year: RegistryYear) -> dict[str, tuple[object, ...]]:
    """Return what is compared of each record, by its ID."""
    found = {}
    for table in (year.hospital, year.registry):
        for row in table.drop_columns(["state"]).to_pylist():
            found[row.pop("record_no")] = tuple(row.values())
    return found


def import_year(project: Project, folder: Path, year: RegistryYear) -> Version:
    sources = {}
    for name in NAMES:
        pa.csv.write_csv(getattr(year, name), folder / f"{name}.csv")
        sources[name] = open_table(str(folder / f"{name}.csv"))
    schema = parse_schema(SCHEMA, "schema.toml")
    version = import_databases(project=project, sources=sources, schema=schema)
    done("pairs", "score", project.name)
    set_bands(project=project, bands=bands_for(open_pairs(project), FOR_PEOPLE))
    return version


def decide_truly(mine: Assignment, year: RegistryYear) -> None:
    same = {frozenset(each) for each in year.same}
    ids = ids_of(mine.version)
    for pair in mine.pairs.all():
        is_same = frozenset((ids[pair.left], ids[pair.right])) in same
        say(mine, SAME if is_same else DIFFERENT, pair=(pair.left, pair.right))
    hand_in(mine)


def registry(folder: Path, name: str = "registry") -> Registry:
    manager = account(f"manager-{name}")
    project = create_project(name=name, actor=COMMAND_LINE, account=manager, synthetic=True)
    worker = account(f"worker-{name}", project=project, role="worker")
    return Registry(folder, Study(project, folder, manager, manager, (worker,)))


def measured(linkage: Linkage, year: RegistryYear) -> LinkageMeasures:
    ids = {each: place for place, each in enumerate(ids_of(linkage.version))}
    true = np.array([(ids[left], ids[right]) for left, right in sorted(year.same)], dtype=np.int64)
    person = vault.unseal(linkage.persons, ["person"]).column("person").to_numpy()
    return measure_linkage(person, PairPositions(true[:, 0], true[:, 1]))


def linked(made: Registry) -> Linkage:
    project = made.study.project
    return link_records(project=project, actor=made.study.actor, unsettled=True, more_errors=True)


@pytest.mark.proof
def test_decisions_are_carried_as_records_stay(home: Path, tmp_path: Path, figure: Figure) -> None:
    assert home.exists()
    made = registry(tmp_path)
    told = []
    for number, year in enumerate(registry_years(PEOPLE, YEARS, seed=SEED)):
        before = len(made.standing)
        version = made.import_year(year)
        found = {pair for pair, votes in votes_in(version).items() if votes.given}
        assert by_id(version, found) == made.standing, "carried is what is unchanged"
        assert by_id(version, pairs_to_ask_again(version)) >= made.again
        counts = (len(made.standing), len(made.again), before - len(made.standing | made.again))
        made.study.plan(reviews=1, quality_sample=0)
        band = int(open_pairs(made.study.project).settlement.sent.sum())
        asked = made.review(year)
        everything = asked + counts[0]
        told.append(
            f"year {number + 1}: {counts[0]} carried, {counts[1]} to ask again, {counts[2]} void, "
            f"{asked} asked, {asked / max(everything, 1):.0%} of {everything}; {band} in the band"
        )
    verify_project(made.study.project)
    result = measured(linked(made), year)
    over = registry(tmp_path, "over")
    over.import_year(year)
    over.study.plan(reviews=1, quality_sample=0)
    over.review(year)
    again = measured(linked(over), year)
    assert abs(result.f1 - again.f1) < 0.02
    figure(
        f"registry of {PEOPLE:,} people over {YEARS} years: {'; '.join(told)}; 0 carried for a "
        f"changed pair, 0 asked again for an unchanged one; precision {result.precision:.4f} and "
        f"recall {result.recall:.4f}, starting over {again.precision:.4f} and {again.recall:.4f}"
    )
