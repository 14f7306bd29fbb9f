"""Pairs found, brought, cut into bands and held against the truth; kept whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mindfirl.cli import main
from mindfirl.core.errors import ChangedMeanwhile, NotAllowed
from mindfirl.core.merging import rivals
from mindfirl.core.policy import COMMAND_LINE, actor
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.price_table import REFERENCE_PAIRS
from mindfirl.services.pairs import burden_of, move_thresholds, set_bands
from mindfirl.store import vault
from mindfirl.store.models import Project, Scoring
from mindfirl.store.queries.plans import scoring_of, state_of
from mindfirl.workspace.open_pairs import open_pairs
from mindfirl.workspace.price_tables import price_table, usual_terms
from tests.conftest import Figure
from tests.engine.test_febrl import FOLDER
from tests.support.projects import done, imported, with_scored_pairs
from tests.support.proof import FULL

pytestmark = pytest.mark.usefixtures("home")


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words, catch_exceptions=False)


@pytest.fixture
def made(home: Path) -> Path:
    """A project with two databases of made-up people."""
    imported(home.parent / "made")
    return home.parent / "made"


@pytest.fixture
def scored(home: Path) -> None:
    """The same project, with scored pairs."""
    with_scored_pairs(home.parent / "made")


def shown(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done(*words, "--json"))
    return found


def test_pairs_are_found_banded_and_evaluated(made: Path) -> None:
    said = run("pairs", "score", "study", "--dry-run")
    assert "that agree on" in said.stderr
    assert "then compare up to 5,000,000 pairs by rules derived from the model" in said.stderr
    assert Scoring.objects.count() == 0
    found = shown("pairs", "score", "study")
    rules = found["model"]["blocking"]["rules"]
    assert any(" letters of " in name for rule in rules for name in rule)
    assert (
        found["pairs"] == found["links"] + found["review"] + found["settled"] + found["non_links"]
    )
    assert 0 <= found["K"]["partial"] <= found["K"]["full"] <= 1
    assert "linked automatically" in done("pairs", "bands", "study")
    truth = str(made / "truth.csv")
    figures = shown("pairs", "evaluate", "study", "--truth", truth)
    assert figures["candidate_recall"] > 0.98
    assert figures["review_pairs"] == found["review"]
    assert 0.9 < figures["f1_unreviewed"] <= figures["f1_if_reviewed"]
    assert "true pairs" in done(
        "pairs", "evaluate", "study", "--truth", truth, "--charts", str(made / "c")
    )
    assert len(list((made / "c").glob("*.svg"))) == 6


def test_pairs_are_compared_by_own_rules_as_well_or_by_them_alone(made: Path) -> None:
    assert made.exists()
    own = ["--rule", "year of birth_date + last_name", "--rule", "last_name+year of birth_date"]
    written = ["last_name", "year of birth_date"]
    only = run("pairs", "score", "study", *own, "--rules", "own", "--json")
    assert json.loads(only.stdout)["model"]["blocking"]["rules"] == [written]
    assert "by your own rules" in only.stderr
    assert "by 1 rules" in only.stderr
    exact = run("pairs", "score", "study", *own, "--rules", "exact", "--dry-run")
    assert "compare at most" in exact.stderr
    assert "that agree on last_name and on year of birth_date" in exact.stderr
    derived = shown("pairs", "score", "study", *own)["model"]["blocking"]["rules"]
    assert derived[0] == written
    assert len(derived) > 1
    for words in (["--rule", "colour"], ["--rules", "own"], [*own, "--most", "3"]):
        assert run("pairs", "score", "study", *words).exit_code == 2


@pytest.mark.usefixtures("scored")
def test_bands_move() -> None:
    wide = shown("pairs", "bands", "study", "--lower", "-90", "--upper", "90")
    assert (wide["lower"], wide["upper"], wide["links"]) == (-1000, 1000, 0)
    assert shown("pairs", "bands", "study") == wide
    few = shown("pairs", "bands", "study", "--pairs", "60")
    assert few["review"] == pytest.approx(60, abs=10), "a bin has ten pairs"
    assert shown("pairs", "bands", "study", "--hours", "2")["review"] == few["review"], "each twice"
    none = shown("pairs", "bands", "study", "--false-links", "1", "--missed-links", "1")
    assert none["review"] == 0
    assert none["K"] == {"partial": 0, "full": 0}
    both = ["--pairs", "5", "--hours", "1"]
    for words in (both, ["--lower", "1"], ["--lower", "3", "--upper", "1"], ["--false-links", "2"]):
        assert run("pairs", "bands", "study", *words).exit_code == 2
    assert vault.strays(Project.objects.get().id) == []
    assert done("doctor") == "No problems found.\n"


@pytest.mark.usefixtures("scored")
def test_what_any_limits_cost_is_known_before_they_are_chosen() -> None:
    described = shown("pairs", "bands", "study", "--pairs", "5")
    pairs = open_pairs(Project.objects.get())
    for limits in (pairs.bands, Bands(-3, 12), Bands(20, 20), Bands(-20, 90)):
        told = burden_of(pairs, limits)
        assert told["K"] == described["K"] or not told["review"], "whichever pairs they are"
        chosen = shown(
            "pairs", "bands", "study", f"--lower={limits.lower}", f"--upper={limits.upper}"
        )
        assert {key: chosen[key] for key in told} == told
    assert described["review"] > 0
    strict = burden_of(pairs, pairs.bands, kappa=100)["K"]
    assert strict["partial"] > described["K"]["partial"]


def test_limits_are_moved_from_the_state_that_was_seen(made: Path) -> None:
    done("pairs", "upload", "study", str(made / "truth.csv"))
    project = Project.objects.get()
    before = state_of(scoring_of(project))
    limits = Bands(-9, 60)
    move_thresholds(project=project, actor=COMMAND_LINE, seen=before, bands=limits)
    assert open_pairs(project).bands == limits
    with pytest.raises(ChangedMeanwhile):
        move_thresholds(project=project, actor=COMMAND_LINE, seen=before, bands=limits)
    set_bands(project=project, bands=Bands(-8, 60))
    assert open_pairs(project).bands == Bands(-8, 60)


@pytest.mark.real_prices
def test_a_version_has_one_price_table_whatever_its_pairs(made: Path) -> None:
    done("pairs", "score", "study")
    project = Project.objects.get()
    first = open_pairs(project).version.required_prices
    told = shown("pairs", "bands", "study", "--lower", "-9", "--upper", "60")["K"]
    assert 0 < told["partial"] < told["full"]
    done("pairs", "upload", "study", str(made / "truth.csv"))
    opened = open_pairs(project)
    assert opened.version.required_prices == first
    assert shown("pairs", "bands", "study")["K"] == told
    table = price_table(opened.data, usual_terms(opened.data))
    assert len(table.pairs) == REFERENCE_PAIRS


def test_limits_are_moved_by_managers_alone(made: Path) -> None:
    done("pairs", "upload", "study", str(made / "truth.csv"))
    project = Project.objects.get()
    seen = state_of(scoring_of(project))
    for role in ("worker", "adjudicator", "auditor"):
        with pytest.raises(NotAllowed):
            move_thresholds(
                project=project,
                actor=actor("somebody", roles=[role]),
                seen=seen,
                bands=Bands(0, 1),
            )


def test_open_pairs_are_those_that_are_kept(made: Path) -> None:
    done("pairs", "upload", "study", str(made / "truth.csv"))
    project = Project.objects.get()
    first = open_pairs(project)
    assert open_pairs(project).candidates is first.candidates, "still open"
    assert not first.candidates.levels
    done("pairs", "bands", "study", "--lower", "-4", "--upper", "4")
    moved = open_pairs(project)
    assert moved.bands == Bands(-4, 4)
    assert moved.candidates is first.candidates
    assert burden_of(moved, moved.bands) == burden_of(first, Bands(-4, 4))
    done("pairs", "score", "study")
    found = open_pairs(project)
    assert found.candidates is not first.candidates
    assert len(found.candidates) == vault.unseal(found.scoring.candidates).num_rows


def test_contested_links_are_for_people_however_heavy(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = [word for name in ("hospital", "registry") for word in ("--without-duplicates", name)]
    files = [str(made / f"{name}.csv") for name in ("hospital", "registry")]
    done("data", "import", "study", *files, "--yes", *once)
    monkeypatch.setattr(rivals, "NEAR", 100.0)
    done("pairs", "score", "study")
    loose = shown("pairs", "bands", "study", "--lower", "-9", "--upper", "-9")
    assert loose["review"] == loose["contested"] > 0


def test_a_rerun_replaces_the_whole_result_and_is_the_same(made: Path) -> None:
    assert made.exists()
    first = shown("pairs", "score", "study", "--seed", "4")
    before = open_pairs(Project.objects.get())
    assert shown("pairs", "score", "study", "--seed", "4") == first
    after = open_pairs(Project.objects.get())
    assert (after.candidates.left == before.candidates.left).all()
    assert abs(after.candidates.weight - before.candidates.weight).max() < 1e-9
    assert Scoring.objects.count() == 1
    assert Project.objects.get().files.count() == 9


def test_pairs_from_elsewhere(made: Path) -> None:
    found = shown("pairs", "upload", "study", str(made / "truth.csv"))
    assert found["model"] is None
    assert found["review"] == found["pairs"], "what nobody weighed, people decide"
    assert shown("pairs", "evaluate", "study", "--truth", str(made / "truth.csv"))["best_f1"] == 1
    wrong = made / "wrong.csv"
    wrong.write_text("left,right\nh0000001,Secret\n", encoding="utf-8")
    out = run("pairs", "upload", "study", str(wrong))
    assert out.exit_code == 2
    assert "wrong.csv, row 1, column right: there is no such id" in out.stderr
    assert "Secret" not in out.output
    assert shown("pairs", "bands", "study") == found, "the pairs of before are still there"


def test_without_review_pairs_for_people_are_not_linked(made: Path) -> None:
    truth = str(made / "truth.csv")
    done("pairs", "upload", "study", truth)
    nothing = shown("pairs", "evaluate", "study", "--truth", truth)
    assert (nothing["precision_unreviewed"], nothing["recall_unreviewed"]) == (1, 0)
    assert (nothing["f1_unreviewed"], nothing["largest_cluster"]) == (0, 1)
    assert (nothing["b3_precision"], nothing["b3_recall"] < 1) == (1, True)
    done("pairs", "bands", "study", "--lower", "-90", "--upper", "-90")
    everything = shown("pairs", "evaluate", "study", "--truth", truth)
    assert (everything["f1_unreviewed"], everything["b3_f1"]) == (1, 1)
    assert everything["largest_cluster"] == 2


def test_too_few_records_are_linked_by_thresholds_of_ones_own_alone(tmp_path: Path) -> None:
    done("synthetic", str(tmp_path), "--people", "24")
    done("project", "create", "few", "--synthetic")
    files = [str(tmp_path / f"{name}.csv") for name in ("hospital", "registry")]
    done("data", "import", "few", *files, "--yes")
    found = shown("pairs", "score", "few")
    assert (found["links"], found["review"], found["lower"]) == (0, 0, found["upper"])
    assert "links are expected, too few to learn from" in found["remarks"][0]
    assert "Nothing is linked automatically" in done("pairs", "bands", "few")
    truth = str(tmp_path / "truth.csv")
    unlinked = shown("pairs", "evaluate", "few", "--truth", truth)
    assert unlinked["recall_unreviewed"] == 0
    assert unlinked["stated_missed"] is unlinked["stated_never_compared"] is None
    errors = shown("pairs", "bands", "few")["errors"]
    assert errors["missed_links"] is errors["never_compared"] is None
    assert errors["false_links"][0] == 0
    said = done("pairs", "bands", "few")
    assert "missed links, compared but not linked: not known" in said
    assert "links never compared, or more: not known" in said
    assert shown("pairs", "bands", "few", "--lower", "-2", "--upper", "2")["links"] == 0
    assert shown("pairs", "bands", "few", "--lower", "-1000", "--upper", "-1000")["links"] > 0
    assert shown("pairs", "evaluate", "few", "--truth", truth)["recall_unreviewed"] > 0.5


@pytest.mark.parametrize(("mode", "precision"), [("link", 1 / 2), ("both", 1 / 3)])
def test_only_pairs_across_databases_count_where_they_are_linked(
    made: Path, mode: str, precision: float
) -> None:
    pairs, truth = made / "some.csv", made / "known.csv"
    pairs.write_text("left,right\nh0000001,r0000001\nh0000002,r0000001\n", encoding="utf-8")
    truth.write_text("left,right\nh0000001,r0000001\n", encoding="utf-8")
    done("pairs", "upload", "study", str(pairs), "--mode", mode)
    done("pairs", "bands", "study", "--lower", "-90", "--upper", "-90")
    found = shown("pairs", "evaluate", "study", "--truth", str(truth))
    assert found["precision_unreviewed"] == pytest.approx(precision)
    assert (found["recall_unreviewed"], found["largest_cluster"]) == (1, 3)
    table = done("pairs", "evaluate", "study", "--truth", str(truth))
    assert "linkage without review" in table
    assert "records of the largest person without review: 3" in table


def test_importing_again_drops_the_pairs_of_before(made: Path) -> None:
    done("pairs", "upload", "study", str(made / "truth.csv"))
    done("data", "import", "study", str(made / "hospital.csv"), "--yes")
    assert Scoring.objects.count() == 0
    assert Project.objects.get().files.count() == 8, "what became of the records among them"
    out = run("pairs", "bands", "study")
    assert out.exit_code == 2
    assert "have not been found yet" in out.stderr


def test_what_cannot_be_asked(made: Path) -> None:
    assert made.exists()
    done("project", "create", "empty", "--synthetic")
    assert "Nothing was imported yet" in run("pairs", "score", "empty").stderr
    assert "--master belongs to" in run("pairs", "score", "study", "--master", "local").stderr
    out = run("pairs", "score", "study", "--most", "1")
    assert out.exit_code == 2
    done("project", "create", "one", "--synthetic")
    done("data", "import", "one", str(made / "hospital.csv"), "--yes")
    assert "Linking needs two databases" in run("pairs", "score", "one", "--mode", "link").stderr


@pytest.mark.full
@pytest.mark.parametrize(
    ("names", "least"),
    [
        (["dataset4a", "dataset4b"], {"candidate_recall": 0.995, "best_f1": 0.99}),
        (["dataset3"], {"candidate_recall": 0.99, "best_f1": 0.985}),
    ],
)
def test_febrl(names: list[str], least: dict[str, float], tmp_path: Path, figure: Figure) -> None:
    done("project", "create", "febrl", "--synthetic")
    done("data", "import", "febrl", *(str(FOLDER / f"{name}.csv") for name in names), "--yes")
    done("pairs", "score", "febrl")
    truth = tmp_path / "truth.csv"
    truth.write_text(_persons(names), encoding="utf-8")
    found = shown("pairs", "evaluate", "febrl", "--truth", str(truth))
    assert found["candidate_recall"] >= least["candidate_recall"]
    assert found["best_f1"] >= least["best_f1"]
    assert found["auto_precision"] >= 0.999
    assert found["f1_if_reviewed"] >= 0.995
    figure(f"FEBRL {' and '.join(names)}: {json.dumps(found)}")


@pytest.mark.proof
@pytest.mark.parametrize(
    "declared",
    [pytest.param([], marks=pytest.mark.full), ["hospital", "registry"]],
    ids=["plain", "declared"],
)
def test_twins_and_juniors(declared: list[str], tmp_path: Path, figure: Figure) -> None:
    people = 100_000 if FULL else 400
    done("synthetic", str(tmp_path), "--people", str(people))
    done("project", "create", "study", "--synthetic")
    files = [str(tmp_path / f"{name}.csv") for name in ("hospital", "registry")]
    once = [word for name in declared for word in ("--without-duplicates", name)]
    done("data", "import", "study", *files, "--yes", *once)
    done("pairs", "score", "study")
    found = shown("pairs", "evaluate", "study", "--truth", str(tmp_path / "truth.csv"))
    assert found["candidate_recall"] > 0.99
    assert found["f1_if_reviewed"] > 0.98
    words = "declared to have no duplicates" if declared else "as they are"
    figure(f"{people:,} synthetic persons, {words}: {json.dumps(found)}")


def _persons(names: list[str]) -> str:
    """Write which record is of which person: FEBRL's ids tell."""
    lines = ["id,person,database"]
    for name in names:
        rows = (FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()[1:]
        ids = [row.split(",")[0].strip() for row in rows if row.strip()]
        lines += [f"{each},{each.split('-')[1]},{name}" for each in ids]
    return "\n".join(lines) + "\n"
