"""The score to play with says what the core says, whatever is open."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from mindfirl.core.risk import kapr
from mindfirl.core.risk.worked_example import worked_example
from mindfirl.core.values.schema import LEVELS
from mindfirl.web.help.score_example import ScoreExample, score_example
from tests.golden import read_golden

GOLDEN: dict[str, Any] = read_golden("worked_example")
MASKED = "0" * 18


def shown_k(found: ScoreExample) -> list[int]:
    return [k for pair in found.example_pairs for k in pair.k]


@pytest.mark.parametrize(("number", "level"), list(enumerate(LEVELS)))
def test_whole_states_give_the_published_figures(number: int, level: str) -> None:
    found, golden = score_example(str(number) * 18, "1"), GOLDEN["states"][level]
    assert shown_k(found) == golden["k"]
    assert found.fraction == str(Fraction(golden["K"]))
    figures = {each.name: each.figure for each in found.attacker_figures}
    expected = float(Fraction(golden["reidentifications"]))
    assert float(figures["Expected re-identifications"].split()[0]) == pytest.approx(expected, 0.01)


def test_a_price_is_what_a_click_adds_in_any_state() -> None:
    dice = random.Random(4)
    prices = []
    for state in ("".join(dice.choice("012") for _ in range(18)) for _ in range(12)):
        found = score_example(state, "1")
        cells = [cell for pair in found.example_pairs for cell in pair.cells]
        prices += [
            (cell.action.rpartition("+")[2], after - Fraction(found.fraction))
            for cell in cells
            for after in [Fraction(score_example(cell.next_state, "1").fraction)]
            if cell.action.startswith("open")
        ]
    assert len(prices) > 100
    assert [words for words, price in prices if words != f"{float(price):.2%}"] == []


def test_kappa_refuses_what_would_leave_too_few() -> None:
    found = score_example(MASKED, "2")
    refused = [cell for pair in found.example_pairs for cell in pair.cells if not cell.next_state]
    assert refused
    assert all(cell.action.startswith("refused") for cell in refused)
    index, pairs = worked_example()
    price = kapr.prices(index, pairs[0], {}, pairs=6, kappa=2, accounting="paper")
    assert price[kapr.Step("name", "partial")] is None
    assert not found.example_pairs[0].cells[0].next_state


@pytest.mark.parametrize("state", ["", "0" * 17, "3" * 18, "x" * 18, "0" * 19, "<script>"])
def test_what_cannot_be_read_is_all_masked(state: str) -> None:
    found = score_example(state, "17")
    assert (found.state, found.kappa, found.fraction) == (MASKED, 1, "0")


@pytest.mark.usefixtures("home")
def test_its_links_lead_on_without_scripts_and_beside_the_work(client: Client) -> None:
    first = client.get("/help/score").content.decode()
    link = re.search(r'id="cell-1-1" href="([^"]+)#score-example"', first)
    assert link
    second = client.get(link[1].replace("&amp;", "&")).content.decode()
    assert "***y\n***k" in second
    assert second.count("<h1") == 1
    beside = client.get("/help/score", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in beside
    assert 'id="score-example"' in beside
    assert 'href="/help/score"' in client.get("/help/privacy-score").content.decode()
    hostile = client.get("/help/score?state=%3Cscript%3E&kappa=%22").content.decode()
    assert "<script>&" not in hostile
    assert "K = 0.00%" in hostile
