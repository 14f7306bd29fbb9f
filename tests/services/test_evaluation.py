"""Linkages against the truth: stated errors against true ones, and after simulated reviews."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from click.testing import CliRunner

from mindfirl.cli import main
from mindfirl.core.linkage_measures import measure_linkage
from mindfirl.core.persons import PairPositions
from mindfirl.core.review.simulated_review import Slips
from mindfirl.engine.pairs.candidates import split_keys
from mindfirl.engine.pairs.pair_lists import read_truth
from mindfirl.store.models import Project
from mindfirl.workspace.open_pairs import open_pairs
from mindfirl.workspace.outcomes.simulated_reviews import (
    SimulatedReview,
    pairs_in_order,
    simulate_review,
)
from mindfirl.workspace.outcomes.standing import unreviewed_persons
from tests.conftest import Figure
from tests.support.projects import done, with_scored_pairs
from tests.support.proof import FULL

pytestmark = pytest.mark.usefixtures("home")
REVIEWED = ("f1_reviewed", "precision_reviewed", "recall_reviewed", "pairs_reviewed", "looks")


@pytest.fixture
def truth(home: Path) -> str:
    """A project with scored pairs of made-up people."""
    with_scored_pairs(home.parent / "made")
    done("pairs", "bands", "study", "--lower", "-8", "--upper", "12")
    return str(home.parent / "made" / "truth.csv")


def evaluated(truth: str, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        done("evaluate", "study", "--truth", truth, "--json", *words)
    )
    return found


def test_stated_errors_are_held_against_true_ones(truth: str) -> None:
    found = evaluated(truth)
    assert not found.keys() & set(REVIEWED)
    for stated in ("stated_false_links", "stated_missed", "stated_never_compared"):
        low, high = found[stated]
        assert 0 <= low <= high
    true = 1 - found["precision_unreviewed"]
    assert (found["false_links_unreviewed"] > 0) == (true > 0)
    assert "links never compared" in done("pairs", "evaluate", "study", "--truth", truth)


def test_a_simulated_review_is_the_same_each_time(truth: str) -> None:
    plain, once, again, other = (
        evaluated(truth, *words)
        for words in (
            (),
            ("--simulate", "band", "--accuracy", "0.7"),
            ("--simulate", "band", "--accuracy", "0.7"),
            ("--simulate", "band", "--accuracy", "0.7", "--seed", "2"),
        )
    )
    assert once == again
    assert {name: once[name] for name in plain} == plain
    assert once["pairs_reviewed"] == other["pairs_reviewed"] == plain["review_pairs"]
    assert once["pairs_reviewed"] <= once["looks"] <= 2 * once["pairs_reviewed"]


def test_people_who_are_always_right_do_no_harm(truth: str) -> None:
    found = evaluated(truth, "--simulate", "band", "--accuracy", "1")
    assert found["f1_reviewed"] >= found["f1_unreviewed"]
    nothing = evaluated(truth, "--simulate", "0", "--accuracy", "0.6")
    assert (nothing["pairs_reviewed"], nothing["looks"]) == (0, 0)
    assert nothing["f1_reviewed"] == nothing["f1_unreviewed"]
    table = done("evaluate", "study", "--truth", truth, "--simulate", "3")
    assert "after review of 3 pairs" in table


def test_impossible_reviews(truth: str) -> None:
    said = CliRunner().invoke(main, ["evaluate", "study", "--truth", truth, "--simulate", "some"])
    assert said.exit_code == 2
    assert "number of pairs or the word band" in said.stderr
    pairs = open_pairs(Project.objects.get())
    known = read_truth(Path(truth), pairs.data.record_ids(), within=False)
    with pytest.raises(Exception, match="fewer than 0"):
        simulate_review(pairs, known, unreviewed_persons(pairs), SimulatedReview(-1, 0.8))


def test_pairs_for_people_come_first_then_all_others(truth: str) -> None:
    assert truth
    pairs = open_pairs(Project.objects.get())
    order = pairs_in_order(pairs, unreviewed_persons(pairs))
    sent = pairs.settlement.sent[order]
    assert sorted(order.tolist()) == list(range(len(pairs.candidates)))
    assert (np.diff(sent.astype(int)) <= 0).all()


SIMULATIONS = 20 if FULL else 5
MOST_HARM = 0.002
PEOPLE = "1600" if FULL else "150"
SETS = {
    "messy, few errors": ("--messy",),
    "messy, many errors, over-confident": ("--messy", "--errors", "many"),
    "messy, names and birth alone": ("--messy", "--names-only"),
    "look-alikes, undeclared, over-confident": ("--look-alikes",),
}


@pytest.mark.proof
@pytest.mark.parametrize(
    "name",
    [
        next(iter(SETS)),
        *(pytest.param(name, marks=pytest.mark.full) for name in list(SETS)[1:]),
    ],
)
def test_review_of_the_band_does_no_harm(name: str, tmp_path: Path, figure: Figure) -> None:
    done("synthetic", str(tmp_path / "made"), "--people", PEOPLE, *SETS[name])
    files = [each for each in (tmp_path / "made").glob("*.csv") if each.stem != "truth"]
    done("project", "create", "study", "--synthetic")
    done("data", "import", "study", *map(str, sorted(files)), "--yes")
    done("pairs", "score", "study")
    pairs = open_pairs(Project.objects.get())
    across = pairs.scoring.mode == "link"
    records = pairs.data.record_ids()
    known = read_truth(tmp_path / "made" / "truth.csv", records, within=not across)
    truth = PairPositions(*split_keys(known))
    databases = records.databases_of(np.arange(pairs.version.records)) if across else None
    person = unreviewed_persons(pairs)
    unreviewed = measure_linkage(person, truth, databases).f1
    band = int(pairs.settlement.sent.sum())

    def gain(review: SimulatedReview) -> float:
        found = simulate_review(pairs, known, person, review)
        return measure_linkage(found.person, truth, databases).f1 - unreviewed

    for accuracy in (0.75, 0.85, 0.95):
        for slips in get_args(Slips):
            for amount in (min(500, band), None) if FULL else (None,):
                reviews = (
                    SimulatedReview(amount, accuracy, seed, slips) for seed in range(SIMULATIONS)
                )
                mean = float(np.mean([gain(review) for review in reviews]))
                assert mean >= -MOST_HARM
                figure(
                    f"{name}: F1 {unreviewed:.4f} unreviewed, {mean:+.4f} after review of "
                    f"{band if amount is None else amount:,} pairs by people {accuracy:.0%} right, "
                    f"errors {slips}, mean of {SIMULATIONS}"
                )
