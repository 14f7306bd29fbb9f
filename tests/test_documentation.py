"""The documentation says what is so: its examples run, and names nothing that is not there."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path

import click

import mindfirl as mf
from mindfirl.cli import main
from mindfirl.core.values.schema import Attribute, Schema

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_examples_of_the_readme_run() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried > 10
    assert failed == 0


def test_every_setting_is_documented() -> None:
    named = {*inspect.signature(Schema).parameters, *inspect.signature(Attribute).parameters}
    for name in named - {"attributes", "name", "kind"}:
        assert f"| `{name}` |" in README, name


def test_every_command_and_public_name_is_documented() -> None:
    for name in main.list_commands(click.Context(main)):
        assert f"mindfirl {name}" in README or f"make {name}" in README, name
    for name in mf.__all__:
        assert f"mf.{name}" in README, name


def test_every_variable_of_the_environment_is_documented() -> None:
    settings = (ROOT / "src" / "mindfirl" / "settings.py").read_text(encoding="utf-8")
    named = set(re.findall(r'"(MINDFIRL_[A-Z_]+|DATABASE_URL)"', settings)) - {"MINDFIRL_PART"}
    assert len(named) > 5
    for name in named:
        assert f"| `{name}` |" in README, name


def test_files_named_in_the_documentation_exist() -> None:
    for page in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for name in re.findall(r"`((?:tests|examples)/[\w./]+)`", text):
            assert (ROOT / name).exists(), f"{page}: {name}"
        for name in re.findall(r"\]\(([\w./]+)\)", text):
            assert (ROOT / name).exists(), f"{page}: {name}"
