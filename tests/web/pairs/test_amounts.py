"""How much to review is chosen on the page of pairs, and says the same as the plan."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services import pairs as candidates
from mindfirl.services.plan.amounts import offered_amounts
from mindfirl.services.plan.plans import PersonTyped, plan_of, save_plan
from mindfirl.store.models import Project, Scoring
from mindfirl.web.page.amount_words import amount_words
from mindfirl.workspace.open_pairs import open_pairs
from tests.support.cast import member, signed_in, text
from tests.support.projects import done, imported
from tests.support.reviews import account

PAGE = "/projects/study/pairs"
MOVED = {"lower": "0", "upper": "9"}
ROW = re.compile(
    r'<tr><th scope="row"><label><input type="radio" name="amount"(.*?)</tr>', re.DOTALL
)


@pytest.fixture
def project(home: Path, tmp_path: Path) -> Project:
    """The software weighed the pairs: counts are of bins, and thresholds at their edges."""
    assert home.exists()
    made = imported(tmp_path / "made", people=400)
    done("pairs", "score", "study")
    return made


@pytest.fixture
def manager(project: Project) -> Client:
    return signed_in(member(project, "manager", "maria"))


def rows_of(page: str) -> dict[str, dict[str, str]]:
    """Return the amounts on offer by their key: thresholds, and figures."""
    found = {}
    for row in ROW.findall(page):
        about = dict(re.findall(r'([\w-]+)="([^"]*)"', row.partition(">")[0]))
        cells = re.findall(r'<td class="number"[^>]*>(.*?)</td>', row, re.DOTALL)
        about["figures"] = " | ".join(re.sub(r"<[^>]+>", "", cell) for cell in cells)
        about["checked"] = "yes" if " checked" in row.partition(">")[0] else ""
        found[about["value"]] = about
    return found


def sent(page: str, **chosen: str) -> dict[str, str]:
    """Return what a browser without scripts sends: the fields of the page, and what was chosen."""
    fields = {
        name: re.search(rf'name="{name}"[^>]*? value="([^"]*)"', page)
        for name in ("seen", "shown", "lower", "upper", "pairs", "hours")
    }
    at_first = {name: found[1] for name, found in fields.items() if found}
    amount = next(key for key, row in rows_of(page).items() if row["checked"])
    return {**at_first, "amount": amount, **chosen}


def on_the_plan(project: Project, amount: int = -1) -> str:
    """Return the figures of the plan for an amount, by default for all pairs for people."""
    plan, _revision = plan_of(project=project, actor=COMMAND_LINE)
    words = amount_words(offered_amounts(project=project, actor=COMMAND_LINE, plan=plan)[amount])
    return f"{words.time} | {words.false_links} | {words.missed} | {words.f1}"


def test_each_amount_says_what_the_plan_says_once_it_is_chosen(
    project: Project, manager: Client
) -> None:
    page = text(manager.get(PAGE))
    rows = rows_of(page)
    assert list(rows)[-1] == "own"
    assert len(rows) >= 3
    for key in list(rows)[1:-1]:
        answer = manager.post(f"{PAGE}/thresholds", sent(text(manager.get(PAGE)), amount=key))
        assert (answer.status_code, answer["Location"]) == (302, "/projects/study/plan")
        assert rows[key]["figures"] == on_the_plan(project)
        shown = rows_of(text(manager.get(PAGE)))
        assert [name for name, row in shown.items() if row["checked"]] == [key]
        assert shown["own"]["figures"] == rows[key]["figures"]


def test_nothing_is_reviewed_at_the_usual_thresholds_and_one_goes_on_to_linking(
    project: Project, manager: Client
) -> None:
    rows = rows_of(text(manager.get(PAGE)))
    manager.post(f"{PAGE}/thresholds", {"seen": sent(text(manager.get(PAGE)))["seen"], **MOVED})
    answer = manager.post(f"{PAGE}/thresholds", sent(text(manager.get(PAGE)), amount="0"))
    assert (answer.status_code, answer["Location"]) == (302, "/projects/study/resolve")
    assert rows["0"]["figures"] == on_the_plan(project, 0)
    kept, usual = Scoring.objects.get(), candidates.usual_bands(open_pairs(project))
    assert (kept.lower, kept.upper) == (usual.lower, usual.upper)


def test_by_another_rule_nothing_is_reviewed_where_nothing_is_between_the_thresholds(
    project: Project, manager: Client
) -> None:
    worker = account("worker", project=project, role="worker")
    changes = {
        "people": (PersonTyped(str(worker.pk), budget="50"),),
        "reviews": 1,
        "rule": "majority",
    }
    save_plan(project=project, actor=COMMAND_LINE, revision=0, changes=changes)
    row = rows_of(text(manager.get(PAGE)))["0"]
    assert row["data-lower"] == row["data-upper"]


def test_the_whole_band_is_chosen_until_somebody_chooses(project: Project, manager: Client) -> None:
    page = text(manager.get(PAGE))
    band = int(open_pairs(project).settlement.sent.sum())
    assert rows_of(page)[str(band)]["checked"]
    assert f"All {band} uncertain pairs" in page


@pytest.mark.parametrize(("name", "typed", "pairs"), [("pairs", "10", 10), ("hours", "0.5", 15)])
def test_an_own_number_sets_the_thresholds_as_the_command_does(
    project: Project, manager: Client, name: str, typed: str, pairs: int
) -> None:
    wanted = candidates.bands_for(open_pairs(project), pairs)
    asked = {"seen": sent(text(manager.get(PAGE)))["seen"], name: typed}
    told = text(manager.get(f"{PAGE}/thresholds", asked))
    burden = candidates.burden_of(open_pairs(project), wanted)
    assert f'data-pairs="{burden["review"]}"' in told
    assert 'id="own-f1" hx-swap-oob="true"' in told
    manager.post(f"{PAGE}/thresholds", sent(text(manager.get(PAGE)), amount="own", **{name: typed}))
    kept = Scoring.objects.get()
    assert (kept.lower, kept.upper) == (wanted.lower, wanted.upper)


def test_thresholds_that_are_moved_win_over_the_amount_that_was_shown(
    project: Project, manager: Client
) -> None:
    before = sent(text(manager.get(PAGE)))
    manager.post(f"{PAGE}/thresholds", {**before, "lower": "0", "upper": "4"})
    kept = Scoring.objects.get()
    snapped = open_pairs(project).snapped(open_pairs(project).bands)
    assert (kept.lower, kept.upper) == (snapped.lower, snapped.upper)
    assert kept.upper >= 4
    assert kept.lower != float(before["lower"])


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"pairs": "many"}, "Enter a whole number of pairs, in digits."),
        ({"pairs": "-1"}, "greater than or equal to 0"),
        ({"hours": ""}, "Enter a number of hours."),
        ({"hours": "nan"}, "Enter a number of hours, such as 20."),
        ({"amount": "x"}, "Enter a whole number of pairs, in digits."),
    ],
)
def test_wrong_numbers_are_said_and_nothing_is_saved(
    manager: Client, typed: dict[str, Any], sentence: str
) -> None:
    before = Scoring.objects.get()
    answer = manager.post(f"{PAGE}/thresholds", sent(text(manager.get(PAGE)), **typed))
    assert answer.status_code == 422
    assert sentence in text(answer)
    after = Scoring.objects.get()
    assert (after.lower, after.upper) == (before.lower, before.upper)
    for name in typed.keys() - {"amount"}:
        seen = sent(text(manager.get(PAGE)))["seen"]
        said = manager.get(f"{PAGE}/thresholds", {"seen": seen, name: typed[name]})
        assert said.status_code == 422
        assert sentence in said.content.decode()


def test_a_choice_is_shown_without_scripts_and_not_kept(manager: Client) -> None:
    before = Scoring.objects.get()
    fields = sent(text(manager.get(PAGE)), pairs="60", show="1")
    answer = manager.post(f"{PAGE}/thresholds", fields)
    assert answer.status_code == 302
    shown = rows_of(text(manager.get(answer["Location"])))
    assert shown["own"]["checked"]
    assert shown["own"]["figures"] != rows_of(text(manager.get(PAGE)))["own"]["figures"]
    assert Scoring.objects.get().lower == before.lower


def test_what_was_never_compared_is_told_beside_the_other_errors(manager: Client) -> None:
    page = text(manager.get(PAGE))
    assert re.search(r"\((about |&lt;)\d+% of true pairs\), not covered by any rule", page)
    assert page.index("Links never compared") < page.index("Thresholds and match weights")
