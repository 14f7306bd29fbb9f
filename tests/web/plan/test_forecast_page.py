"""What budgets buy, on the page Plan: from nothing to three sentences and a chart."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.engine.bands.burden import Bands
from mindfirl.services import jobs, pairs
from mindfirl.services.projects import create_project
from mindfirl.store.models import Account, Job, Project
from tests.support.cast import member, signed_in, text
from tests.support.forecasts import keep, made_by_hand, point
from tests.support.projects import planned, with_pairs

pytestmark = pytest.mark.usefixtures("home")

BY_SCRIPT = {"HX-Request": "true"}


@dataclass
class Scene:
    """A project with pairs, and its cast."""

    project: Project
    manager: Client
    auditor: Client
    workers: list[Account]
    page: str = "/projects/study/plan"
    forecast: str = "/projects/study/plan/forecast"

    def block(self, query: str = "", client: Client | None = None) -> str:
        """Return what the page says of the forecast."""
        page = text((client or self.manager).get(f"{self.page}{query}"))
        _before, _heading, rest = page.partition('<section class="forecast"')
        assert rest
        return rest.partition('<form id="plan"')[0]

    def sentences(self, query: str = "") -> list[str]:
        listed = re.search(r'<ol class="answers">(.*?)</ol>', self.block(query), re.DOTALL)
        assert listed
        return re.findall(r"<li>(.*?)</li>", listed[1])


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    project = with_pairs(tmp_path / "made", people=120)
    return Scene(
        project,
        signed_in(member(project, "manager", "maria")),
        signed_in(member(project, "auditor", "otto")),
        [member(project, "worker", name) for name in ("ann", "bob")],
    )


def test_it_is_offered_first_and_then_under_way(scene: Scene) -> None:
    assert "Create forecast" in scene.block()
    assert scene.auditor.get(scene.page).status_code == HTTPStatus.FORBIDDEN
    answer = scene.manager.post(scene.forecast)
    assert (answer.status_code, answer["Location"]) == (302, f"{scene.page}#forecast")
    job = Job.objects.get()
    assert (job.kind, job.parameters, job.by.username if job.by else "") == (
        "plan forecast",
        {},
        "maria",
    )
    block = scene.block()
    assert "Forecasting" in block
    assert "Create forecast" not in block, "one is enough"
    again = text(scene.manager.post(scene.forecast, follow=True))
    assert "Other work on this project is running" in again
    jobs.cancel(job=job, actor=COMMAND_LINE)
    block = scene.block()
    assert "was cancelled" in block
    assert "Create forecast" in block
    keep(scene.project)
    assert "was cancelled" not in scene.block(), "that is over"


def test_work_of_another_kind_is_not_told_as_a_forecast(scene: Scene) -> None:
    Job.objects.create(project=scene.project, kind="pairs score", parameters={})
    assert 'id="job"' not in scene.block()


def test_it_answers_in_exactly_three_sentences(scene: Scene) -> None:
    keep(scene.project)
    least, more, kappas = scene.sentences()
    assert least == (
        "A budget of 3% is the smallest within 1 point of full disclosure. People are expected to "
        "decide 89.5% of the pairs correctly (90.0% when everything is shown), and to see 12 of "
        "the 160 characters in a pair."
    )
    assert more == "One percent more budget is expected to add 0.2 points of accuracy."
    assert kappas == (
        "The accuracy of 3% at κ = 1 takes 6% at κ = 5. With κ = 10, no budget reaches it."
    )
    assert "Trained on 320 pairs of this project with answers from a truth file." in scene.block()
    assert "Rough guide only" not in scene.block()


def test_another_loss_can_be_chosen_with_a_script_and_without(scene: Scene) -> None:
    keep(scene.project)
    least, more, kappas = scene.sentences("?loss=5")
    assert "A budget of 2% is the smallest within 5 points" in least
    assert more == "One percent more budget is expected to add 1.5 points of accuracy."
    assert kappas.startswith("The accuracy of 3% at κ = 1"), "κ is told for the usual loss"
    alone = scene.manager.get(f"{scene.forecast}?loss=5", headers=BY_SCRIPT)
    assert least in text(alone)
    assert "<html" not in text(alone)
    assert '<option value="5" selected>' in text(alone)
    without = scene.manager.get(f"{scene.forecast}?loss=5")
    assert without["Location"] == f"{scene.page}?loss=5#forecast"
    assert scene.sentences("?loss=nonsense") == scene.sentences()


def test_where_steps_do_not_come_so_near_the_best_of_them_is_told(scene: Scene) -> None:
    figures = made_by_hand(kappas={})
    figures.band.policies["all full"] = (point(0.4, 0.95),)  # type: ignore[index]  # by hand
    keep(scene.project, figures)
    least, more, kappas = scene.sentences()
    assert least == (
        "A budget of 3% is the smallest within 1 point of the best that single openings reach. "
        "People are expected to decide 89.5% of the pairs correctly (95.0% when everything is "
        "shown), and to see 12 of the 160 characters in a pair."
    )
    assert more == "One percent more budget is expected to add 0.2 points of accuracy."
    assert kappas == "The cost of another κ was not calculated."
    assert "Use this budget: 3%" in scene.block()
    keep(scene.project, replace(figures, kappas={5: None, 10: None}))
    assert scene.sentences()[2] == "With κ = 5, 10, no budget reaches the accuracy of 3% at κ = 1."
    keep(scene.project, replace(figures, kappa=3, kappas={5: point(0.0123, 0.9)}))
    assert scene.sentences()[2] == "The accuracy of 3% at κ = 3 takes 1.3% at κ = 5."


def test_where_nothing_has_to_be_opened_no_budget_is_offered(scene: Scene) -> None:
    figures = made_by_hand()
    figures.band.policies["all masked"] = (point(0, 0.9),)  # type: ignore[index]  # by hand
    keep(scene.project, figures)
    least, more, kappas = scene.sentences()
    assert more == "One percent more budget is not expected to improve accuracy."
    assert least.startswith("Nothing needs to be opened. People are expected to decide 90.0%")
    assert kappas == "κ has no cost while nothing is opened."
    assert "Use this budget" not in scene.block()
    assert text(scene.manager.get(f"{scene.forecast}/chart")).startswith("<svg")


def test_where_no_step_changes_an_answer_it_says_so_though_full_would_be_better(
    scene: Scene,
) -> None:
    figures = made_by_hand()
    figures.band.policies["step by step"] = ()  # type: ignore[index]  # by hand
    keep(scene.project, figures)
    assert scene.sentences()[0].startswith("No opening is expected to change an answer. People are")


def test_its_budget_goes_into_the_fields_of_all_workers(scene: Scene) -> None:
    keep(scene.project)
    link = re.search(r'href="(\?[^"]+)" data-budget="3"', scene.block())
    assert link
    address = f"{scene.page}{link[1].replace('&amp;', '&')}"
    budgets = r'name="budget-worker-[^"]+" value="([^"]+)"'
    assert re.findall(budgets, text(scene.manager.get(address))) == ["3", "3"]
    planned(scene.project, scene.workers, budget="7")
    assert re.findall(budgets, text(scene.manager.get(address))) == ["3", "3"]
    for wrong in ("0", "a lot", "-1", "<b>"):
        page = text(scene.manager.get(scene.page, {"budget": wrong}))
        assert re.findall(budgets, page) == ["7", "7"]


def test_what_was_learnt_from_nobody_recommends_nothing(scene: Scene) -> None:
    keep(scene.project, made_by_hand(source="made up"), reviewed=17)
    block = scene.block()
    assert "Rough guide only: trained on synthetic people." in block
    assert "needs 200 pairs with known answers; you have 17." in block
    (sentence,) = scene.sentences()
    assert sentence == (
        "No budget is recommended, because that needs pairs with known answers. K is 3% with every "
        "cell at partial, 15% with every differing cell at full, and 40% with every cell at full."
    )
    assert "Use this budget" not in block
    chart = scene.manager.get(f"{scene.forecast}/chart?theme=dark&loss=0.5")
    assert "people, at K =" not in text(chart)
    plan = text(scene.manager.get(scene.page)).partition('<form id="plan"')[2]
    assert "people are expected to decide" not in plan
    assert "K if every cell is opened to partial" in plan
    keep(scene.project, made_by_hand(labelled=40))
    assert "trained on too few pairs" in scene.block()
    assert "you have 40" in scene.block()
    assert "Use this budget" not in scene.block()


def test_every_page_recommends_the_same_budget(scene: Scene) -> None:
    proposed = r'name="budget-worker-[^"]+" value="([^"]+)"'
    without = re.findall(proposed, text(scene.manager.get(scene.page)))
    keep(scene.project, made_by_hand(source="made up"))
    assert re.findall(proposed, text(scene.manager.get(scene.page))) == without
    keep(scene.project)
    assert "Use this budget: 3%" in scene.block()
    assert re.findall(proposed, text(scene.manager.get(scene.page))) == ["3", "3"]
    dispatch = scene.page.replace("plan", "dispatch")
    planned(scene.project, scene.workers, budget="2.9")
    page = text(scene.manager.get(dispatch))
    assert page.count("is below the 3% that the forecast recommends") == 2
    assert "some decisions may have to rely on masked cells" not in page
    planned(scene.project, scene.workers, budget="3")
    assert "that the forecast recommends" not in text(scene.manager.get(dispatch))


def test_accuracy_stands_beside_levels_and_budgets(scene: Scene) -> None:
    planned(scene.project, scene.workers, budget="1")
    keep(scene.project)
    page = text(scene.manager.get(scene.page))
    assert (
        "K if every cell is opened to partial · people are expected to decide 82.0% correctly"
        in page
    )
    assert (
        "K if every cell is opened to full · people are expected to decide 90.0% correctly" in page
    )
    assert page.count("· people are expected to decide 84.0% correctly") == 2
    typed = {
        f"{what}-worker-{each.pk}": value
        for each in scene.workers
        for what, value in (("person", "on"), ("share", "100"), ("budget", "2.5"))
    }
    fields = {"reviews": "2", "priority": "uncertain", "rule": "unanimous", "kappa": "1"}
    fields |= {"accounting": "paper", "prices": "exact", "date_swaps": "digits", **typed}
    said = text(scene.manager.get(f"{scene.page}/estimate", fields))
    assert said.count("people are expected to decide 88.0% correctly") == 2
    other = text(scene.manager.get(f"{scene.page}/estimate", {**fields, "kappa": "5"}))
    assert "people are expected to decide" not in other, "the forecast is for another κ"


def test_what_it_was_made_for_may_have_changed(scene: Scene) -> None:
    keep(scene.project)
    planned(scene.project, scene.workers, kappa=5)
    assert "κ, accounting or prices in the plan have changed" in scene.block()
    planned(scene.project, scene.workers)
    assert "κ, accounting or prices in the plan have changed" not in scene.block()
    pairs.set_bands(project=scene.project, bands=Bands(-3, 3))
    assert "the pairs or the thresholds have changed" in scene.block()
    assert "Recalculate" in scene.block()
    keep(scene.project, pairs=50_000)
    assert "Based on 320 pairs drawn from the 50,000 pairs for people." in scene.block()


def test_its_figures_are_in_a_table(scene: Scene) -> None:
    keep(scene.project)
    block = scene.block()
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', block)
    names = [name for name, _ in rows]
    assert names[:4] == ["all masked", "all partial", "differing cells full", "all full"]
    assert names.count("step by step") == 6
    cells = re.findall(r"<td[^>]*>(.*?)</td>", rows[6][1])
    assert cells == ["2%", "8.0", "88.0%", "95.0%", "94.6% ± 1.2", "5.0%"]
    keep(scene.project, made_by_hand(source="made up"))
    assert "Measured, where known" not in scene.block()


def test_its_chart_is_drawn_in_both_themes(scene: Scene) -> None:
    address = f"{scene.forecast}/chart"
    assert scene.manager.get(address).status_code == HTTPStatus.NO_CONTENT
    keep(scene.project)
    light, dark = (scene.manager.get(address, {"theme": theme}) for theme in ("light", "dark"))
    assert light["Content-Type"] == dark["Content-Type"] == "image/svg+xml"
    assert text(light).startswith("<svg")
    assert text(light) != text(dark)
    assert scene.auditor.get(f"{address}?theme=dark&loss=2").status_code == HTTPStatus.FORBIDDEN
    assert text(scene.manager.get(address, {"theme": "pink"})) == text(light)
    assert f'srcset="{address}?theme=dark&amp;loss=1"' in scene.block()
    assert f'src="{address}?theme=light&amp;loss=1"' in scene.block()


def test_the_pairs_come_first() -> None:
    project = create_project(name="empty", actor=COMMAND_LINE, synthetic=True)
    manager = signed_in(member(project, "manager"))
    address = "/projects/empty/plan/forecast"
    assert manager.get(address, headers=BY_SCRIPT).status_code == HTTPStatus.NO_CONTENT
    assert "No pairs yet" in text(manager.post(address, follow=True))
    assert not Job.objects.exists()
    assert "forecast" not in text(manager.get("/projects/empty/plan"))


def test_a_closed_project_still_shows_it_and_makes_none(scene: Scene) -> None:
    keep(scene.project)
    scene.project.closed = timezone.now()
    scene.project.save()
    block = scene.block()
    assert "is the smallest within 1 point" in block
    assert "Recalculate" not in block
    assert "Use this budget" not in block
    assert scene.manager.post(scene.forecast).status_code == HTTPStatus.CONFLICT
    assert not Job.objects.exists()


def test_what_smaller_budgets_cost_is_said_beside_the_recommended_one(scene: Scene) -> None:
    keep(scene.project)
    less = (
        "With less, people are expected to decide fewer pairs correctly: 88.0% at 2%, 84.0% at 1%, "
        "80.0% at 0.5%, 75.0% when everything is masked."
    )
    assert less in scene.block()
    assert "never slips" not in scene.block(), "as much is needed to know as to read"


def test_it_is_said_how_much_of_a_budget_only_helps_reading(scene: Scene) -> None:
    figures = made_by_hand()
    figures.band.policies["all masked"] = (replace(point(0, 0.75), accuracy=0.965),)  # type: ignore[index]  # by hand
    keep(scene.project, figures)
    assert "Somebody who never slips would need only 0%. The rest makes values" in scene.block()


def test_without_a_recommendation_nothing_is_said_of_smaller_budgets(scene: Scene) -> None:
    keep(scene.project, made_by_hand(source="made up"))
    assert "With less, people" not in scene.block()
