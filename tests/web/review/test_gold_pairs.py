"""Reviewers are told that some pairs check them; nothing that they get tells which."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.db import transaction
from django.test import Client

from mindfirl.core.review.decisions import Decision
from mindfirl.services.labels import import_labels
from mindfirl.store.models import AssignedPair, Assignment
from mindfirl.store.queries.votes import GOLD
from tests.support.cast import signed_in, text
from tests.support.drawn import without_csrf
from tests.support.reviews import Study, make_study
from tests.support.rounds import decide_all

HTMX = {"HX-Request": "true"}


@pytest.fixture
def mine(home: Path, tmp_path: Path) -> Assignment:
    """Give somebody pairs of which half are gold."""
    assert home.exists()
    study = make_study(tmp_path, people=30, pairs=60, workers=1)
    _answer(study)
    study.plan(reviews=1, most_pairs=12, gold_pairs=12, prices="exact", budget="20")
    (given,) = study.dispatched()
    return Assignment.objects.select_related("account").get(pk=given.pk)


def test_managers_see_how_many_go_out_and_how_often_reviewers_were_right(
    home: Path, tmp_path: Path
) -> None:
    assert home.exists()
    study = make_study(tmp_path, people=30, pairs=60, workers=1)
    _answer(study)
    study.plan(reviews=1, most_pairs=12, gold_pairs=21)
    client = signed_in(study.manager)
    assert "21 to check reviewers" in text(client.get("/projects/study/plan"))
    assert "21 pairs with a known answer, among the rest" in text(
        client.get("/projects/study/dispatch")
    )
    decide_all(study.dispatched(), Decision("probably the same"))
    shown = text(client.get("/projects/study/agreement"))
    row = shown.split("Compared with known answers")[1].split("</table>")[0]
    assert re.findall(r"<td[^>]*>(\d+)</td>", row) == ["21"]
    assert "100%" in row
    assert "84% to 100%" in row


def _answer(study: Study) -> None:
    rows = [line.split(",") for line in (study.folder / "pairs.csv").read_text().splitlines()[1:]]
    band = [row for row in rows if abs(float(row[2])) < 5]
    known = [f"{left},{right},same" for left, right, _ in band[: len(band) // 2]]
    path = study.folder / "known.csv"
    path.write_text("\n".join(["left,right,answer", *known]) + "\n", encoding="utf-8")
    import_labels(project=study.project, actor=study.actor, path=path, source="a registry")


def test_no_answer_of_the_server_tells_which_they_are(mine: Assignment) -> None:
    assert mine.pairs.filter(origin__in=GOLD).count() == 12
    with_gold = everything_done(mine)
    AssignedPair.objects.filter(origin__in=GOLD).update(origin="review")
    assert everything_done(mine) == with_gold
    assert len(with_gold) > 100
    for words in ("Opened", "surely the same", "Assignment submitted"):
        assert any(words in answer for answer in with_gold), words
    assert "gold" not in "".join(with_gold).casefold()
    mine.pairs.update(flagged=True)
    assert everything_done(mine) != with_gold, "what shows would be noticed"


def everything_done(mine: Assignment) -> list[str]:
    """Look at all pairs, open a cell of each, decide, flag, comment, submit; then undo it all."""
    with transaction.atomic():
        answers = list(_worked(signed_in(mine.account), mine))
        transaction.set_rollback(True)
    return answers


def _worked(client: Client, mine: Assignment) -> list[str]:
    there, found = f"/assignments/{mine.pk}", list[str]()

    def keep(answer: object) -> str:
        page = without_csrf(text(answer))
        found.append(f"{answer.status_code} {page}")  # type: ignore[attr-defined]  # of the client
        return page

    keep(client.get("/assignments"))
    page = keep(client.get(f"{there}?size=50"))
    for number, token in enumerate(re.findall(r'id="pair-([\w-]+)"', page)):
        steps = re.findall(rf'id="cell-{token}-\d+"[^>]*name="step" value="([^"]+)"', page)
        typed = {"pair": token, "seen": "0"}
        for step in steps[number % 2 : number % 2 + 1]:
            keep(client.post(f"{there}/open", {**typed, "step": step}, headers=HTMX))
        verdict = ("surely the same", "perhaps different")[number % 2]
        keep(client.post(f"{there}/decide", {"pair": token, "decision": verdict}, headers=HTMX))
        keep(client.post(f"{there}/flag", {"pair": token, "flagged": "yes"}, headers=HTMX))
        keep(client.post(f"{there}/explain", {"pair": token}, headers=HTMX))
        keep(client.post(f"{there}/comment", {"pair": token, "words": "odd"}, headers=HTMX))
    keep(client.get(there))
    keep(client.get(f"{there}/submit"))
    keep(client.post(f"{there}/submit"))
    keep(client.get(f"{there}/submit"))
    return found


def test_they_are_told_that_there_are_some(mine: Assignment) -> None:
    client = signed_in(mine.account)
    assert "some pairs have a known answer" in text(client.get("/assignments"))
    words = "Some of these pairs have a known answer"
    assert words in text(client.get(f"/assignments/{mine.pk}"))
    assert words not in text(client.get("/practice"))
    Assignment.objects.update(settings={**mine.settings, "gold_pairs": 0})
    assert words not in text(client.get(f"/assignments/{mine.pk}"))
    assert "known answer" not in text(client.get("/assignments")).split("<ul")[1]
