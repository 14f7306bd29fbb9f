"""How many modules a click of a worker passes; ``-s`` prints which."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from django.test import Client

from tests.support.cast import signed_in
from tests.support.passed import modules_passed
from tests.support.reviews import make_given

MOST: Final = {"the rule": 14, "all else": 28}
"""Modules of the core, which prices, opens, draws and chains; and those around it."""


def test_an_opening_passes_few_modules(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    study = make_given(tmp_path, people=20, pairs=30, budget="100")
    mine = study.project.assignments.select_related("account").first()
    assert mine
    client = signed_in(mine.account)
    first, second, *_ = mine.pairs.filter(withdrawn=False).order_by("number")
    opened(client, f"/assignments/{mine.pk}/open", first.token)
    found = modules_passed(lambda: opened(client, f"/assignments/{mine.pk}/open", second.token))
    core = [each for each in found if each.startswith("core/")]
    around = [each for each in found if each not in core]
    print(*core, *around, f"{len(core)} of the core, {len(around)} around it", sep="\n")  # noqa: T201  # see above
    assert "core/review/opening.py" in core
    assert "store/ledger/marks.py" in around
    assert len(core) <= MOST["the rule"]
    assert len(around) <= MOST["all else"]


def opened(client: Client, address: str, token: str) -> None:
    typed = {"pair": token, "seen": "0", "step": "full:last"}
    answer = client.post(address, typed, headers={"HX-Request": "true"})
    assert answer.status_code == 200
