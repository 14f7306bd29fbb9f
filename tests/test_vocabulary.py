"""One word for one thing: names of modules, classes and functions, held against the glossary."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "mindfirl"
GLOSSARY = ROOT / "docs" / "glossary.md"

STAGES = {
    *("data", "columns", "pairs", "plan", "dispatch"),
    *("review", "resolve", "link", "release", "report"),
}
ROLES = {"views", "forms", "pages", "apps", "commands"}
"""Module names that say what a module is to its package, not what it is about."""

RECURRING_MODULES = {
    "agreement": "figures of agreement in the core; the votes that they are computed from",
    "formats": "days and figures, a module for each language, named so by Django",
    "explaining": "a worker asks for a suggestion: the service, and its view",
    "sql": "tables read from a SQL database; SQL written by hand for the hot path",
}
"""Module names outside the glossary that recur, each with what they name."""

RECURRING_NAMES = {
    "Chart": "a chart as SVG; the histogram that a page draws and moves",
    "Comment": "the row that stores it, encrypted; the comment on a page",
    "Contents": "what a release file holds; what a backup holds",
    "Cover": "what hides pairs after a pause; the head of a backup",
    "Difference": "the library wraps the core's, without its characters",
    "DrawnBar": "a bar of a histogram; a bar of progress",
    "Estimate": "an interval of a share; what a plan would cost",
    "Facts": "what a plan is checked against; what a project's form is checked against",
    "Forecast": "the core's value; the row that stores it",
    "Mark": "a sign in a masked cell; a tick of an axis",
    "Opened": "the outcome of an attempt; the ledger's event of it",
    "Part": "a database of a release; a part of a multipart upload",
    "Refused": "the outcome of an attempt; the ledger's event of it",
    "Release": "the table that is released; the row that stores its state",
    "Row": "a row of a page's table, one class for each page",
    "Step": "a step with its price; the stage of a project on its page",
    "Vote": "a vote as agreement counts it; a vote with its pair and person",
    "account_named": "the query; the service that refuses an unknown name",
    "beat": "a job's sign of life; a process's",
    "check_open": "a release that is not deleted; a project that is not closed",
    "draft_of": "the draft of columns; the draft of an import",
    "no_progress": "progress by steps; progress by stages and steps",
    "nothing": "a job that is not cancelled",
    "own_key": "the key of a file; the key that signs heads",
    "planned": "the plan in a report; the stored plan",
    "read_ledger": "a ledger file; the entries that a report counts",
    "state_of": "the state of a release; the fingerprint of a scoring",
    "take": "download a release; take note of migrations",
    "verify_project": "the service; the chain of one project's ledger",
    "writing": "a backup under way; a transaction that writes",
    "written": "the letters of a comment; the entries of a ledger",
}
"""Public names that recur for two things, each with what they are; no new ones without a reason."""

ENTRY_POINTS = ("web", "cli", "runner")
"""Functions of these rooms are named after routes, commands and jobs."""


def words(column: str) -> set[str]:
    """Return the words of a column of the glossary's cells, each as an identifier."""
    found = {part.strip() for part in re.split(r",|\(|\)", column)}
    return {word.lower().replace(" ", "_").replace("-", "_") for word in found if word}


def glossary() -> tuple[set[str], set[str]]:
    """Return the nouns and the verbs of the glossary."""
    text = GLOSSARY.read_text(encoding="utf-8")
    nouns, verbs = text.split("## Verbs")
    cells = [re.findall(r"^\| ([^|]+) \|", part, re.MULTILINE) for part in (nouns, verbs)]
    return tuple(set().union(*map(words, part)) for part in cells)  # type: ignore[return-value]  # two


def singular(word: str) -> str:
    for ending, instead in (("ies", "y"), ("ches", "ch"), ("s", "")):
        if word.endswith(ending):
            return word.removesuffix(ending) + instead
    return word


def modules() -> Iterator[tuple[str, Path]]:
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE)
        if "migrations" not in place.parts and path.stem not in ("__init__", "__main__"):
            yield path.stem, place


def recurring(found: Iterator[tuple[str, Path]]) -> dict[str, list[Path]]:
    places = defaultdict(list)
    for name, place in found:
        places[name].append(place)
    return {name: those for name, those in sorted(places.items()) if len(those) > 1}


def public_names() -> Iterator[tuple[str, Path]]:
    for _, place in modules():
        for node in ast.parse((SOURCE / place).read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef):
                continue
            command = isinstance(node, ast.FunctionDef) and place.parts[0] in ENTRY_POINTS
            if not command and not node.name.startswith("_"):
                yield node.name, place


def test_a_module_name_stands_for_one_thing() -> None:
    nouns, _ = glossary()
    allowed = STAGES | ROLES | nouns | RECURRING_MODULES.keys()
    twice = recurring(modules())
    unexplained = {
        name: places
        for name, places in twice.items()
        if name not in allowed and singular(name) not in allowed
    }
    assert not unexplained


def test_a_glossary_noun_names_one_module_of_a_layer() -> None:
    for name, places in recurring(modules()).items():
        layers = [place.parent.as_posix() for place in places]
        assert name in ROLES or len(layers) == len(set(layers)), name


def in_layers_of_their_own(places: list[Path]) -> bool:
    """Say whether a thing has one shape in each layer: core value, stored row, page object."""
    return len({place.parts[0] for place in places}) == len(places)


def test_a_public_name_stands_for_one_thing() -> None:
    nouns, verbs = glossary()
    twice = recurring(public_names())
    unexplained = {
        name: places
        for name, places in twice.items()
        if name not in verbs
        and name not in RECURRING_NAMES
        and not (name.lower() in nouns and in_layers_of_their_own(places))
    }
    assert not unexplained


def test_the_glossary_names_places_that_exist() -> None:
    text = GLOSSARY.read_text(encoding="utf-8").split("## Stages")[1]
    for place in re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.py)?)`", text.split("## Verbs")[0]):
        assert (SOURCE / place).exists() or (SOURCE / f"{place}.py").exists(), place
