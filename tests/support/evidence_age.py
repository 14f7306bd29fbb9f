"""What the figures of a part rest on, and whether any of it has changed since they were measured.

A part rests on its tests and on every module that these import, at any depth, with the files beside
them that are not code. Packages that load their modules by name count as a whole.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

import grimp

from tests.support.parts import PARTS

ROOT: Final = Path(__file__).parents[2]
EVERYWHERE: Final = ("tests/conftest.py", "locks")
"""Every part rests on these; what the fixtures import, the tests that use it import too."""
LOADED_BY_NAME: Final = {
    "mindfirl.cli": "mindfirl.cli",
    "mindfirl.store": "mindfirl.store",
    "tests.web": "mindfirl.web",
    "tests.support.cast": "mindfirl.web",
    "tests.support.desk": "mindfirl.web",
    "tests.support.site": "mindfirl.web",
}
"""Packages that load their modules by name, and the modules beside which all of them count."""
SERVING: Final = frozenset({"mindfirl.cli.upkeep.serve", "mindfirl.cli.standalone.demo"})
"""Commands that show pages, which other commands do not: they count where a test imports them."""
FRONT_DOORS: Final = ("mindfirl", "tests.conftest")
"""Modules that offer much and need none of it: tests that use what they offer import it."""


@cache
def _imports() -> grimp.ImportGraph:
    graph = grimp.build_graph("mindfirl", "tests")
    for door in FRONT_DOORS:
        for imported in list(graph.find_modules_directly_imported_by(door)):
            graph.remove_import(importer=door, imported=imported)
    return graph


def _tests_of(part: str) -> list[str]:
    """Name the modules of tests in the places of a part."""
    places = [place.removesuffix(".py").replace("/", ".") for place in PARTS[part]]
    wanted = tuple(f"tests.{place}" for place in places)
    return [name for name in _imports().modules if name.startswith(wanted) and ".test_" in name]


def modules_under(part: str) -> frozenset[str]:
    """Return the modules that a part rests on."""
    graph, found, queue = _imports(), set[str](), _tests_of(part)
    while queue:
        name = queue.pop()
        if name in found:
            continue
        found.add(name)
        queue += graph.find_upstream_modules(name) - found
        for beside, package in LOADED_BY_NAME.items():
            if name == beside or name.startswith(f"{beside}."):
                queue += graph.find_descendants(package) - found - SERVING
    return frozenset(found)


def _files(modules: Iterable[str]) -> set[str]:
    """Return where modules are, and what is not code in their folders."""
    files = set()
    for name in modules:
        folder = ("src/" if name.startswith("mindfirl") else "") + name.replace(".", "/")
        files |= {f"{folder}.py", f"{folder}/__init__.py"}
    return files


def rests_on(part: str, changed: Iterable[str]) -> list[str]:
    """Return those of changed files that a part rests on."""
    files = _files(modules_under(part))
    folders = {str(Path(file).parent) for file in files if file.startswith("src/")}
    return sorted(
        path
        for path in changed
        if path in files
        or path.startswith(EVERYWHERE)
        or (not path.endswith(".py") and _owner(path) in folders)
    )


def _owner(path: str) -> str | None:
    """Return the package that a file that is not code belongs to."""
    for folder in Path(path).parents:
        if (ROOT / folder / "__init__.py").exists():
            return str(folder)
    return None


def changed_since(commit: str) -> list[str] | None:
    """Name the files that differ from a commit; None if the commit is not known here."""
    git = ["git", "-C", str(ROOT), "diff", "--name-only", "--no-renames", commit]
    found = subprocess.run(git, capture_output=True, text=True, check=False)
    return found.stdout.split() if found.returncode == 0 else None


def age(part: str, commit: str) -> str:
    """Say in words whether a figure of a commit is still of the present source."""
    changed = changed_since(commit)
    if changed is None:
        return "the commit is not known here"
    relevant = rests_on(part, changed)
    return f"{len(relevant):,} files that it rests on" if relevant else "nothing that it rests on"
