"""``mindfirl plan``, as a person would type it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindfirl.planner.people_file import read_habits
from mindfirl.services.plan import forecasts
from mindfirl.store.models import Forecast
from tests.cli.upkeep.test_user import done, run
from tests.support.forecasts import Engine
from tests.support.reviews import Study, make_study


@pytest.fixture(autouse=True)
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    made = make_study(tmp_path, people=60, pairs=300)
    done("init", "--administrator", "boss")
    return made


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    noting = Engine()
    monkeypatch.setattr(forecasts, "make_forecast", noting)
    return noting


@pytest.fixture
def truth(tmp_path: Path) -> str:
    path = tmp_path / "truth.csv"
    lines = ["left,right", *(f"c{number},r{number}" for number in range(60))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_it_prints_tables_and_sentences_and_is_kept(truth: str) -> None:
    said = done("plan", "forecast", "study", "--truth", truth)
    kept = Forecast.objects.get()
    assert kept.account is None
    assert kept.content["source"] == "truth"
    lines = said.splitlines()
    assert "All pairs for people: 240, 240 with known answers" in said
    assert "Pairs that are hard when masked: 60, 60 with known answers" in said
    (line,) = {line for line in lines if "step by step" in line and " 2.00%" in line}
    cells = [cell.strip() for cell in line.split("│")[1:-1]]
    assert cells == [
        *("step by step", "2.00%", "8.0", "95.0%", "94.6% ± 1.2", "88.0%"),
        *("94.0%", "93.0%", "93.5%", "5.0%"),
    ]
    assert sum("until sure" in line for line in lines) == 12, "baselines stand beside it"
    assert lines[-5].startswith("A budget of 3% is the smallest within 1 point")
    assert lines[-4].startswith("One percent more")
    assert lines[-3].startswith("The accuracy of 3% at κ = 1 takes 6% at κ = 5")
    assert lines[-2].startswith("With less, people are expected to decide fewer pairs correctly")
    assert lines[-1].startswith("Trained on 240 pairs of this project")


def test_it_is_compared_with_other_ways_to_open(engine: Engine) -> None:
    done("plan", "forecast", "study")
    orders = [each.name for each in engine.asked[0]["orders"]]
    assert orders == ["until sure", "cheapest first", "random order"]


def test_another_loss_is_another_budget(truth: str) -> None:
    said = done("plan", "forecast", "study", "--truth", truth, "--loss", "6.5")
    assert "A budget of 1% is the smallest within 6.5 points" in said
    for wrong in ("-1", "101", "much"):
        assert run("plan", "forecast", "study", "--loss", wrong).exit_code == 2


def test_a_pipeline_gets_json(truth: str) -> None:
    told = json.loads(done("plan", "forecast", "study", "--truth", truth, "--json"))
    assert told.pop("recommended_budget") == 0.03
    assert told == Forecast.objects.get().content
    guess = json.loads(done("plan", "forecast", "study", "--json"))
    assert guess["recommended_budget"] is None, "nothing is known"
    assert told["parts"]["band"]["labelled"] == 240


def test_without_labels_it_recommends_nothing(engine: Engine) -> None:
    said = done("plan", "forecast", "study")
    assert "Rough guide only: trained on synthetic people." in said
    assert "A reliable forecast needs 200 pairs with known answers; you have 0." in said
    assert "No budget is recommended" in said
    assert "is the smallest within" not in said
    assert engine.asked[0]["source"] == "made up"
    assert "±" not in said


def test_how_people_decide_is_told_by_a_file_of_ones_own(engine: Engine, tmp_path: Path) -> None:
    ours = tmp_path / "ours.toml"
    ours.write_text("[people]\nslips = 0.02\n", encoding="utf-8")
    done("plan", "forecast", "study", "--people", str(ours))
    done("plan", "forecast", "study")
    own, shipped = (each["habits"] for each in engine.asked)
    assert own.slips == 0.02
    assert shipped == read_habits()
    ours.write_text("[people]\nslips = 2\n", encoding="utf-8")
    assert run("plan", "forecast", "study", "--people", str(ours)).exit_code == 2


def test_what_is_not_there_is_refused_without_repeating_it(tmp_path: Path) -> None:
    for words in (
        ("plan", "forecast", "nobody"),
        ("plan", "forecast", "study", "--truth", str(tmp_path / "absent.csv")),
    ):
        refused = run(*words)
        assert refused.exit_code == 2
        assert "nobody" not in refused.stderr
    assert not Forecast.objects.exists()
