"""Every threat has a test that SECURITY.md names, or the open issue that brings it."""

from __future__ import annotations

import re
from pathlib import Path

from django.apps import apps

ROOT = Path(__file__).parents[1]
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
THREATS = (ROOT / "tests" / "golden" / "threats.txt").read_text(encoding="utf-8").splitlines()
_TEST = re.compile(r"`(tests/[\w./-]+\.py)`")
_ISSUE = re.compile(r"\bissue \d+|\bopen issue\b")


def section(title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)^## ", SECURITY, re.DOTALL | re.MULTILINE)
    assert found is not None, title
    return found[1]


def answers() -> dict[str, str]:
    """Return what the table of threats says about each."""
    rows = [line.strip("|").split("|") for line in section("Threats").splitlines() if "|" in line]
    return {threat.strip(): answer.strip() for threat, answer in rows[2:]}


def test_every_threat_is_in_the_table_and_no_other() -> None:
    assert list(answers()) == THREATS


def test_every_threat_has_a_test_or_an_open_issue() -> None:
    without = [
        threat
        for threat, answer in answers().items()
        if not (_TEST.search(answer) or _ISSUE.search(answer))
    ]
    assert without == []


def test_the_tests_of_threats_exist() -> None:
    named = [name for answer in answers().values() for name in _TEST.findall(answer)]
    assert [name for name in named if not (ROOT / name).is_file()] == []
    assert len(set(named)) > 20


def test_every_table_is_said_to_be_in_the_clear_or_sealed() -> None:
    text = section("What the database holds in the clear")
    models = [model.__name__ for model in apps.get_app_config("store").get_models()]
    assert [name for name in models if not re.search(rf"\b{name}\b", text)] == []
