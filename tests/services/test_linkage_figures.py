"""Sets whose truth is known, linked with defaults by commands: right links, honest numbers.

`make proof` takes seeds from the commit: nobody has looked at these people while building.
"""

from __future__ import annotations

import csv
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from mindfirl.core.review.simulated_review import Slips
from mindfirl.engine.pairs.candidates import pair_keys
from mindfirl.engine.pairs.pair_lists import read_truth
from mindfirl.services.evaluation import Judgement, evaluated
from mindfirl.store.models import Project
from mindfirl.workspace.open_pairs import open_pairs
from mindfirl.workspace.outcomes.simulated_reviews import SimulatedReview
from mindfirl.workspace.outcomes.standing import unreviewed_persons
from tests.conftest import Figure
from tests.engine.test_febrl import FOLDER
from tests.support.projects import done
from tests.support.proof import FULL

pytestmark = [pytest.mark.usefixtures("home"), pytest.mark.proof]

HEAVY: Final = 10.0
MOST_HEAVY: Final = 2
REVIEWS: Final = [(accuracy, amount) for accuracy in (0.85, 0.95) for amount in (500, 2_000, None)]
INDEPENDENT: Final[Slips] = "independent"


@dataclass(frozen=True, slots=True)
class MadeSet:
    """People that `mindfirl synthetic` makes, and the least F1 of their linkage without review.

    Of declared databases and relatives it is what defaults have to reach; of the others it is a
    bound below which a linkage would be nonsense, and the figure tells how good it is.
    """

    words: tuple[str, ...]
    people: int
    least: float
    declared: bool = False


MADE: Final = {
    "synthetic, declared": MadeSet((), 20_000, 0.995, declared=True),
    "look-alikes, declared": MadeSet(("--look-alikes",), 20_000, 0.955, declared=True),
    "look-alikes, undeclared": MadeSet(("--look-alikes",), 5_000, 0.8),
    "300 relatives": MadeSet(("--messy", "--relatives", "300"), 1_000, 0.98),
    "messy, few errors": MadeSet(("--messy",), 4_000, 0.85),
    "messy, many errors": MadeSet(("--messy", "--errors", "many"), 4_000, 0.85),
    "messy, errors in a quarter of records": MadeSet(
        ("--messy", "--errors", "records", "--country", "de"), 4_000, 0.85
    ),
    "messy, dates in three columns": MadeSet(
        ("--messy", "--date-parts", "--country", "fr"), 4_000, 0.85
    ),
    "messy, names and birth alone": MadeSet(
        ("--messy", "--names-only", "--country", "es"), 4_000, 0.85
    ),
}
FEBRL: Final = {
    "FEBRL 1": ("dataset1",),
    "FEBRL 2": ("dataset2",),
    "FEBRL 3": ("dataset3",),
    "FEBRL 4": ("dataset4a", "dataset4b"),
}


def seeds() -> list[int]:
    """Return three seeds that the commit gives."""
    if not FULL:
        return [1]
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], text=True)  # noqa: S607
    return [int(commit[7 * place : 7 * place + 7], 16) for place in range(3)]


def linked(files: list[Path], truth: Path, *words: str) -> Judgement:
    """Import, score and judge, as somebody would who takes every default."""
    done("project", "create", "study", "--synthetic")
    done("data", "import", "study", *map(str, sorted(files)), "--yes", *words)
    done("pairs", "score", "study")
    return evaluated(project=Project.objects.get(name="study"), truth=truth)


def described(name: str, found: Judgement) -> str:
    stated = found.stated
    made, known = found.unreviewed, found.to_json()
    ranges = [
        (stated.false_links, found.false_links, "false"),
        (stated.missed, found.missed, "missed"),
        *(
            [(stated.never_compared, found.never_compared, "never compared")]
            if stated.never_compared
            else []
        ),
    ]
    told = "; ".join(
        f"{words} {ends.to_json()[0]:,} to {ends.to_json()[1]:,} stated, {true:,} true"
        f" ({'inside' if true in ends else 'OUTSIDE'})"
        for ends, true, words in ranges
    )
    return (
        f"{name}: F1 {made.f1:.4f} without review (precision {made.precision:.4f}, recall "
        f"{made.recall:.4f}, best single threshold {found.bands.best.f1:.4f}), candidate recall "
        f"{found.candidate_recall:.4f}, {known['review_pairs']:,} pairs in the band; {told}"
    )


def heavy_false_links(truth: Path) -> int:
    """Count links that are wrong although their own pair weighs more than ten bits."""
    pairs = open_pairs(Project.objects.get())
    known = read_truth(truth, pairs.data.record_ids(), within=pairs.scoring.mode != "link")
    person, found = unreviewed_persons(pairs), pairs.candidates
    wrong = ~np.isin(pair_keys(found.left, found.right), known)
    made = person[found.left] == person[found.right]
    return int((wrong & made & (found.weight > HEAVY)).sum())


def reviewed(truth: Path, accuracy: float, amount: int | None) -> str:
    review = SimulatedReview(amount, accuracy, 1, INDEPENDENT)
    found = evaluated(project=Project.objects.get(), truth=truth, simulated=review)
    assert found.reviewed
    return f"{found.reviewed.pairs:,} at {accuracy:.0%} {found.reviewed.made.f1:.4f}"


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        pytest.param(
            name,
            seed,
            marks=pytest.mark.full if (name, seed) != ("messy, few errors", 1) else (),
        )
        for name in MADE
        for seed in seeds()
    ],
)
def test_made_up_people_are_linked(name: str, seed: int, tmp_path: Path, figure: Figure) -> None:
    made, folder = MADE[name], tmp_path / "made"
    people = made.people if FULL else 200
    done("synthetic", str(folder), "--people", str(people), "--seed", str(seed), *made.words)
    files, truth = (
        [each for each in folder.glob("*.csv") if each.stem != "truth"],
        (folder / "truth.csv"),
    )
    declared = [word for each in files for word in ("--without-duplicates", each.stem)]
    found = linked(files, truth, *(declared if made.declared else ()))
    after = ", ".join(reviewed(truth, *each) for each in (REVIEWS if FULL else REVIEWS[:1]))
    heavy = heavy_false_links(truth)
    figure(
        f"{described(f'{name}, {people:,} people, seed {seed}', found)}; {heavy} false links above"
        f" weight {HEAVY:.0f}; F1 after review of {after}"
    )
    assert found.unreviewed.f1 >= made.least
    assert not made.declared or heavy <= MOST_HEAVY


def write_febrl_truth(files: list[Path], truth: Path) -> None:
    """Write down which records are of one person: FEBRL's record IDs tell it."""
    with truth.open("w", encoding="utf-8", newline="") as out:
        lines = csv.writer(out)
        lines.writerow(("id", "person"))
        for file in files:
            with file.open(encoding="utf-8", newline="") as content:
                rows = list(csv.reader(content))[1:]
            lines.writerows((row[0].strip(), row[0].split("-")[1]) for row in rows)


@pytest.mark.full
@pytest.mark.parametrize("name", FEBRL)
def test_febrl_is_linked(name: str, tmp_path: Path, figure: Figure) -> None:
    files, truth = [FOLDER / f"{each}.csv" for each in FEBRL[name]], tmp_path / "truth.csv"
    write_febrl_truth(files, truth)
    found = linked(files, truth)
    figure(described(name, found))
    assert found.unreviewed.f1 >= 0.999


def with_invented_columns(file: Path, out: Path, columns: int) -> None:
    """Add columns that repeat nothing: answers to questions, of a few values each, with errors."""
    dice = np.random.default_rng(7)
    with file.open(encoding="utf-8", newline="") as content, out.open("w", newline="") as to:
        rows = list(csv.reader(content))
        lines = csv.writer(to)
        lines.writerow([*rows[0], *(f"answer_{number}" for number in range(columns))])
        for row in rows[1:]:
            person = np.random.default_rng(int(row[0].split("-")[1]))
            true = person.integers(0, 6, columns)
            wrong = dice.random(columns) < 0.1
            told = np.where(wrong, dice.integers(0, 6, columns), true)
            lines.writerow([*row, *(f"{'ABCDEF'[each]}" for each in told)])


@pytest.mark.full
def test_thirty_attributes_are_no_worse_than_ten(tmp_path: Path, figure: Figure) -> None:
    truth, file = tmp_path / "truth.csv", tmp_path / "people.csv"
    with_invented_columns(FOLDER / "dataset3.csv", file, 20)
    write_febrl_truth([FOLDER / "dataset3.csv"], truth)
    schema = tmp_path / "schema.toml"
    done("project", "create", "columns", "--synthetic")
    done("data", "import", "columns", str(file), "--dry-run", "--write-schema", str(schema))
    proposed = schema.read_text(encoding="utf-8")
    as_attribute = '[[attribute]]\nkind = "category"\nrole = "quasi-identifier"\n'
    schema.write_text(proposed.replace("[[sensitive]]\n", as_attribute), encoding="utf-8")
    found = linked([file], truth, "--schema", str(schema))
    attributes = len(open_pairs(Project.objects.get(name="study")).data.schema.names)
    figure(described(f"FEBRL 3 with 20 invented answers, {attributes} attributes", found))
    assert attributes == 30
    assert found.unreviewed.f1 >= 0.999
