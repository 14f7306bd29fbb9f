"""Forecasts: what they are made of, where they are kept, and when they are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from mindfirl.core.errors import DataError, MindfirlError, NotAllowed, ProjectClosed, SettingError
from mindfirl.core.forecast import frontier as planner
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.plan import Terms
from mindfirl.engine.bands.burden import Bands
from mindfirl.planner.forecasting import Portion
from mindfirl.planner.suggestions import Adviser
from mindfirl.services.pairs import set_bands
from mindfirl.services.plan import forecasts
from mindfirl.services.projects import create_project
from mindfirl.services.review.decisions import decide, submit
from mindfirl.store import vault
from mindfirl.store.models import Assignment, Forecast, SealedFile
from mindfirl.store.queries.access import actor_for
from mindfirl.store.queries.plans import figures_of, forecast_of, is_stale
from mindfirl.store.queries.votes import known_pairs, votes_given_in
from tests.support.conflicts import (
    adjudicator,
    at,
    conflicting,
    disagree,
    give_conflicts,
    hand_in,
    say,
    weighed,
)
from tests.support.forecasts import Engine
from tests.support.reviews import ATTRIBUTES, Study, bring, import_again, make_study

SAME, DIFFERENT = Decision("surely the same"), Decision("probably different")


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    noting = Engine()
    monkeypatch.setattr(forecasts, "make_forecast", noting)
    return noting


def made(study: Study, **more: Any) -> Forecast:
    return forecasts.make(project=study.project, actor=study.actor, **more)


def truth(study: Study) -> Path:
    """A file of the truth: persons have the same number in both databases."""
    path = study.folder / "truth.csv"
    lines = ["left,right", *(f"c{number},r{number}" for number in range(60))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def decided(study: Study, said: dict[int, list[Decision]]) -> None:
    """Let each pair that was given out be decided by what is said of every seventh of them."""
    turns: dict[tuple[int, int], int] = {}
    for mine in study.project.assignments.order_by("pk"):
        for pair in mine.pairs.all():
            key = (pair.left, pair.right)
            turn = turns[key] = turns.get(key, -1) + 1
            decide(
                account=mine.account,
                assignment=mine,
                token=pair.token,
                decision=said.get((pair.left + pair.right) % 7, [SAME, SAME])[turn],
                now=timezone.now(),
            )
        submit(account=mine.account, assignment=mine, now=timezone.now())


def test_the_truth_of_a_file_labels_all_pairs_for_people(study: Study, engine: Engine) -> None:
    told: list[str] = []
    found = made(
        study,
        account=study.manager,
        truth=truth(study),
        progress=lambda what, *_: told.append(what),
    )
    (asked,) = engine.asked
    assert asked["source"] == "truth"
    assert len(asked["left"]) == found.pairs == 160
    assert list(asked["labels"].numbers) == list(range(160))
    positions = {at(study, number, number) for number in range(60)}
    pairs = zip(asked["left"].tolist(), asked["right"].tolist(), strict=True)
    assert asked["labels"].same.tolist() == [pair in positions for pair in pairs]
    assert asked["labels"].same.any()
    assert told == ["opening the pairs", "learning"]
    assert (found.account, found.reviewed, found.lower, found.upper) == (study.manager, 0, -5, 5)
    assert figures_of(found).labelled == 160
    assert figures_of(Forecast.objects.get()) == figures_of(found)
    assert asked["index"].schema.names == ATTRIBUTES
    assert asked["orders"] == ()


def test_what_learns_learns_and_what_advises_is_found_again(study: Study) -> None:
    numbers = range(60)
    weighed(study, [(n, (n + turn) % 60, 0) for turn in range(2) for n in numbers])
    found = made(study, truth=truth(study))
    figures = figures_of(found)
    assert (figures.source, figures.labelled, figures.promises) == ("truth", 120, False)
    assert figures.attributes == ATTRIBUTES
    assert figures.band.masked.budget == 0
    assert figures.band.full.accuracy > 0.6
    assert planner.forecast_from_json(found.content) == figures_of(Forecast.objects.get())
    adviser = Adviser.of(vault.unseal(Forecast.objects.get().adviser))
    assert adviser.attributes == ATTRIBUTES
    assert adviser.worth_at(10**7) >= adviser.worth_at(10**9) >= 0
    assert found.prospects is not None
    expected = vault.unseal(found.prospects)
    assert expected.num_rows == 120
    right = expected.column("answer_right").to_numpy()
    assert ((right >= 0.5) & (right <= 1)).all()
    assert right.mean() == pytest.approx(
        figures.band.recommended(of_people=True).accuracy, abs=0.05
    )


def test_where_made_up_people_have_other_attributes_it_is_said(study: Study) -> None:
    with pytest.raises(SettingError):
        made(study)
    assert not Forecast.objects.exists()


def test_prices_and_floor_are_those_of_the_plan(study: Study, engine: Engine) -> None:
    made(study)
    study.plan(budget="4", kappa=3, accounting="strict", prices="banded", frequency_bands=True)
    made(study)
    usual, planned = engine.asked
    assert (usual["terms"], usual["portion"]) == (Terms(), Portion(160, 50_000_000))
    terms = Terms(kappa=3, accounting="strict", prices="banded", frequency_bands=True)
    assert (planned["terms"], planned["portion"]) == (terms, Portion(160 * 2 // 3, 40_000_000))
    assert not any(each.frequency for each in usual["index"].schema.attributes)
    assert all(each.frequency for each in planned["index"].schema.attributes)


def test_too_few_reviewed_pairs_label_nothing(study: Study, engine: Engine) -> None:
    study.plan(most_pairs=30, budget="100")
    study.dispatched()
    decided(study, {0: [SAME, DIFFERENT], 1: [DIFFERENT, DIFFERENT]})
    found = made(study)
    (asked,) = engine.asked
    assert asked["source"] == figures_of(found).source == "made up"
    assert len(asked["labels"].numbers) == len(asked["labels"].same) == 0
    assert found.reviewed == len(known_pairs(votes_given_in(found.version))) > 0
    assert not figures_of(found).promises


def test_reviewed_pairs_label_themselves_once_they_are_enough(
    study: Study, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planner, "ENOUGH", 50)
    study.plan(budget="100")
    study.dispatched()
    open_still = made(study)
    assert (open_still.reviewed, engine.asked[-1]["source"]) == (0, "made up")
    decided(study, {0: [SAME, DIFFERENT], 1: [DIFFERENT, DIFFERENT]})
    found, asked = made(study), engine.asked[-1]
    labelled = {
        (int(asked["left"][number]), int(asked["right"][number])): bool(same)
        for number, same in zip(asked["labels"].numbers, asked["labels"].same, strict=True)
    }
    assert asked["source"] == "reviews"
    assert found.reviewed == len(labelled)
    for left, right in zip(asked["left"].tolist(), asked["right"].tolist(), strict=True):
        rest = (left + right) % 7
        assert labelled.get((left, right)) == {0: None, 1: False}.get(rest, True)


def test_an_adjudicator_labels_what_reviewers_left_open(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    study = conflicting(tmp_path)
    disagree(study, adjudicator(study))
    version = study.project.versions.get()
    assert known_pairs(votes_given_in(version)) == {}, "one of three said otherwise of every pair"
    (mine,) = give_conflicts(study)
    say(mine, DIFFERENT)
    assert known_pairs(votes_given_in(version)) == {}, "it is not handed in"
    hand_in(mine)
    pairs = mine.pairs.values_list("left", "right")
    assert known_pairs(votes_given_in(version)) == dict.fromkeys(pairs, False)
    assert len(pairs) == 10


def test_one_review_labels_nothing(study: Study) -> None:
    study.plan(reviews=1, budget="100")
    study.dispatched()
    decided(study, {})
    assert known_pairs(votes_given_in(study.project.versions.get())) == {}


def test_of_many_pairs_some_are_drawn_the_same_each_time(
    study: Study, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forecasts, "MOST_PAIRS", 60)
    monkeypatch.setattr(planner, "ENOUGH", 20)
    found = made(study, truth=truth(study))
    made(study, truth=truth(study))
    one, other = engine.asked
    assert (found.pairs, figures_of(found).band.pairs) == (160, 60)
    assert one["left"].tolist() == other["left"].tolist()
    assert one["right"].tolist() == other["right"].tolist()
    assert list(one["labels"].numbers) == list(range(60))
    study.plan(most_pairs=40, priority="uncertain", budget="100")
    study.dispatched()
    decided(study, {})
    found, asked = made(study), engine.asked[-1]
    assert (found.reviewed, len(asked["left"])) == (40, 60)
    assert len(asked["labels"].numbers) >= 30, "half of them or more were reviewed"
    assert len(np.unique(asked["left"] * 1000 + asked["right"])) == 60


def test_a_new_one_takes_the_place_of_the_old_one(study: Study, engine: Engine) -> None:
    first = made(study)
    assert first.prospects is not None
    files = [first.adviser, first.prospects]
    assert vault.unseal(files[0]).column_names == ["worth"]
    assert vault.unseal(files[1]).num_rows == first.pairs
    assert [file.kind for file in files] == ["adviser", "prospects"]
    second = made(study)
    assert Forecast.objects.get() == second
    for file in files:
        assert not SealedFile.objects.filter(pk=file.pk).exists()
        assert not vault.path_of(study.project.pk, file.name).exists()
    assert vault.strays(study.project.pk) == []
    assert len(engine.asked) == 2


def test_other_files_that_go_leave_it_alone(study: Study, engine: Engine) -> None:
    assert not engine.asked
    found = made(study)
    set_bands(project=study.project, bands=Bands(-6, 6))
    assert vault.unseal(Forecast.objects.get().adviser).num_rows == 1
    assert vault.path_of(study.project.pk, found.adviser.name).exists()
    kept = Forecast.objects.get().prospects
    assert kept is not None
    assert vault.unseal(kept).column("left").to_pylist() == engine.asked[0]["left"].tolist()


def test_it_is_stale_when_limits_move_or_pairs_are_found_anew(study: Study, engine: Engine) -> None:
    assert not is_stale(made(study))
    set_bands(project=study.project, bands=Bands(-1, 1))
    found = forecast_of(study.project)
    assert found is not None
    assert is_stale(found)
    assert not is_stale(made(study))
    bring(study.project, study.folder)
    found = forecast_of(study.project)
    assert found is not None
    assert found.scoring is None
    assert is_stale(found)
    assert len(engine.asked) == 2


def test_it_goes_with_its_version(study: Study, engine: Engine) -> None:
    made(study)
    import_again(study.project, study.folder)
    assert forecast_of(study.project) is None
    assert not Forecast.objects.exists()
    assert not SealedFile.objects.filter(kind__in=["adviser", "prospects"]).exists()
    with pytest.raises(SettingError, match="have not been found yet"):
        made(study)
    assert len(engine.asked) == 1


def test_nothing_is_kept_where_what_is_recorded_with_it_fails(study: Study, engine: Engine) -> None:
    before = made(study)

    def fail() -> None:
        raise SettingError("lost")

    with pytest.raises(SettingError, match="lost"):
        made(study, also=fail)
    assert Forecast.objects.get() == before
    assert vault.unseal(before.adviser).num_rows == 1
    assert vault.strays(study.project.pk) == []
    assert len(engine.asked) == 2


def test_pairs_that_were_found_anew_meanwhile_are_others(
    study: Study, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(*given: Any, **more: Any) -> Any:
        bring(study.project, study.folder)
        return engine(*given, **more)

    monkeypatch.setattr(forecasts, "make_forecast", meanwhile)
    with pytest.raises(SettingError, match="found again while"):
        made(study)
    assert not Forecast.objects.exists()
    assert vault.strays(study.project.pk) == []


def test_what_cannot_be_is_refused_in_a_sentence(study: Study, engine: Engine) -> None:
    empty = create_project(name="empty", actor=COMMAND_LINE, synthetic=True)
    with pytest.raises(SettingError, match="have not been found yet"):
        forecasts.make(project=empty, actor=COMMAND_LINE)
    wrong = study.folder / "wrong.csv"
    wrong.write_text("left,right\nc1,nobody\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        made(study, truth=wrong)
    assert "nobody" not in str(caught.value)
    with pytest.raises(MindfirlError):
        made(study, truth=study.folder / "nowhere.csv")
    set_bands(project=study.project, bands=Bands(30, 30))
    with pytest.raises(SettingError, match="No pairs are for people"):
        made(study)
    assert not engine.asked


def test_managers_make_it_and_see_it(study: Study, engine: Engine) -> None:
    auditor, worker = (actor_for(each, study.project) for each in (study.auditor, study.workers[0]))
    found = made(study)
    for actor in (auditor, worker):
        with pytest.raises(NotAllowed):
            forecasts.make(project=study.project, actor=actor)
        with pytest.raises(NotAllowed):
            forecasts.newest(project=study.project, actor=actor)
    study.project.closed = timezone.now()
    study.project.save()
    with pytest.raises(ProjectClosed):
        forecasts.make(project=study.project, actor=COMMAND_LINE)
    assert forecasts.newest(project=study.project, actor=study.actor) == found
    assert len(engine.asked) == 1


def test_no_value_and_no_name_stands_in_it(study: Study, engine: Engine) -> None:
    found = made(study, truth=truth(study))
    text = str(found.content)
    for word in ("Zoe", "Bobby", "c1", "r1", study.manager.username):
        assert word not in text
    assert not Assignment.objects.exists()
    assert engine.asked
