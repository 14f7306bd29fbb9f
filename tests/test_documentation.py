"""The documents are true: examples run, and every name, file, link, command and option exists."""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import mindfirl as mf
from mindfirl.cli import main
from mindfirl.core.ledger.events import EVENTS
from mindfirl.core.policy import ROLES
from mindfirl.core.values.schema import Attribute, Schema
from mindfirl.web.plan.forms import PlanForm
from mindfirl.web.release.findings_page import KINDS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "mindfirl"
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
MANUAL = [page for page in DOCS.glob("*.md") if page.name != "evidence.md"]
STAGES = ("data", "columns", "pairs", "plan", "dispatch", "review", "resolve", "link", "release")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def command_lines(page: Path) -> Iterator[list[str]]:
    """Yield every ``mindfirl`` command of a page, in blocks and inside sentences, as its words."""
    text = text_of(page)
    fenced = re.compile(r"^```(.*?)^```", re.DOTALL | re.MULTILINE)
    blocks = [block.replace("\\\n", " ") for block in fenced.findall(text)]
    lines = [line for block in blocks for line in block.splitlines() if "mindfirl " in line]
    lines += re.findall(r"`(mindfirl [^`]+)`", fenced.sub("", text))
    for line in lines:
        words = shlex.split(line, comments=True)
        commands = [at for at, word in enumerate(words) if word.endswith("mindfirl")]
        if commands and all("=" in word for word in words[: commands[0]]):
            yield words[commands[0] + 1 :]


def resolved(words: list[str]) -> tuple[click.Command, list[str]]:
    """Return the command that words name, and the words that are left for it."""
    command: click.Command = main
    while isinstance(command, click.Group) and words:
        _name, found, words = command.resolve_command(click.Context(command), words)
        assert found is not None
        command = found
    return command, words


def options_of(command: click.Command) -> set[str]:
    return {"--help", *(option for each in command.params for option in each.opts)}


def all_commands(group: click.Group, *above: str) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from all_commands(command, *above, name)
        else:
            yield " ".join((*above, name))


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as they are made when Markdown is rendered."""
    headings = re.findall(r"^#+ (.+)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


def test_the_examples_of_the_library_page_run() -> None:
    failed, tried = doctest.testfile(str(DOCS / "library.md"), module_relative=False)
    assert tried > 10
    assert failed == 0


def test_every_setting_is_documented() -> None:
    named = {*inspect.signature(Schema).parameters, *inspect.signature(Attribute).parameters}
    library = text_of(DOCS / "library.md")
    assert [
        name for name in named - {"attributes", "name", "kind"} if f"| `{name}` |" not in library
    ] == []


def test_every_public_name_is_documented() -> None:
    library = text_of(DOCS / "library.md")
    assert [name for name in mf.__all__ if f"mf.{name}" not in library] == []


def test_every_command_is_documented() -> None:
    manual = "\n".join(map(text_of, MANUAL))
    commands = list(all_commands(main))
    assert len(commands) > 30
    assert [name for name in commands if f"mindfirl {name}" not in manual] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_and_options_that_a_page_names_exist(page: Path) -> None:
    for words in command_lines(page):
        command, rest = resolved(words)
        options = {word.split("=")[0] for word in rest if word.startswith("--")}
        assert options <= options_of(command), " ".join(words)


def test_every_environment_variable_is_documented() -> None:
    named = set(re.findall(r'"(MINDFIRL_[A-Z_]+|DATABASE_URL)"', text_of(SOURCE / "settings.py")))
    named -= {"MINDFIRL_PART"}
    administration = text_of(DOCS / "administration.md")
    assert len(named) > 5
    assert [name for name in named if f"| `{name}` |" not in administration] == []


def test_every_kind_of_ledger_entry_is_documented() -> None:
    rows = re.findall(r"^\| ([a-z, ]+) \|", text_of(DOCS / "ledger.md"), re.MULTILINE)
    documented = {kind for row in rows for kind in row.split(", ")}
    assert documented - {"entry"} == set(EVENTS)


def test_every_kind_of_finding_is_documented() -> None:
    release = text_of(DOCS / "release.md")
    assert len(KINDS) > 8
    assert [kind for kind in KINDS if f"| `{kind}` |" not in release] == []


def test_every_role_is_documented_with_what_it_can_do() -> None:
    index = text_of(DOCS / "index.md")
    assert [role for role in (*ROLES, "administrator") if f"\n| {role} |" not in index] == []


def test_every_field_of_a_plan_is_documented() -> None:
    terms = text_of(DOCS / "plan.md")
    fields = [str(field.label) for field in PlanForm.base_fields.values() if field.label]
    assert len(fields) > 10
    assert [label for label in fields if f"| {label}" not in terms] == []


def test_the_tutorial_names_what_is_on_the_pages() -> None:
    tutorial = re.sub(r"```.*?```", "", text_of(DOCS / "tutorial.md"), flags=re.DOTALL)
    named = {
        " ".join(name.split()) for name in re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", tutorial)
    }
    pages = [path for path in (SOURCE / "web").rglob("*") if path.suffix in {".html", ".py"}]
    words = "\n".join(map(text_of, pages))
    assert len(named) > 25
    assert sorted(name for name in named if name not in words) == []


def test_every_stage_has_its_page() -> None:
    assert [stage for stage in (*STAGES, "report") if not (DOCS / f"{stage}.md").exists()] == []


def test_every_page_of_the_manual_is_linked_from_its_index() -> None:
    index = text_of(DOCS / "index.md")
    assert [
        page.name for page in MANUAL if f"({page.name}" not in index and page.name != "index.md"
    ] == []


def test_every_decision_is_linked_from_its_index() -> None:
    index = text_of(DOCS / "decisions" / "README.md")
    pages = sorted((DOCS / "decisions").glob("*.md"))
    assert len(pages) > 10
    assert [
        page.name for page in pages if f"({page.name})" not in index and page.name != "README.md"
    ] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
        if "://" in target:
            continue
        path, _hash, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), target
        assert not anchor or anchor in anchors_of(file), target


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_that_a_page_names_exist(page: Path) -> None:
    for name in re.findall(r"`((?:src|tests|examples|docs|bench|locks)/[\w./-]+)`", text_of(page)):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_modules_that_a_page_names_exist(page: Path) -> None:
    rooms = "|".join(
        sorted({each.stem for each in SOURCE.iterdir() if not each.stem.startswith("_")})
    )
    for name in re.findall(rf"`((?:{rooms})(?:\.\w+)+)`", text_of(page)):
        assert module_exists(name), name
    for name in re.findall(rf"`((?:{rooms})(?:/\w+)+(?:/|\.py)?)`", text_of(page)):
        assert (SOURCE / name).exists() or (SOURCE / f"{name}.py").exists(), name


def module_exists(name: str) -> bool:
    """Say whether a dotted name is a module, a package, or a name that one of them defines."""
    if name.endswith((".md", ".toml", ".py")):
        return (SOURCE / name).exists()
    path = SOURCE.joinpath(*name.split("."))
    if path.is_dir() or path.with_suffix(".py").exists():
        return True
    file = path.parent.with_suffix(".py")
    file = file if file.exists() else path.parent / "__init__.py"
    return file.exists() and re.search(rf"\b{path.name}\b", text_of(file)) is not None


def test_the_architecture_is_short() -> None:
    assert len(text_of(ROOT / "ARCHITECTURE.md").splitlines()) <= 200


def test_the_architecture_names_every_package() -> None:
    architecture = text_of(ROOT / "ARCHITECTURE.md")
    packages = {each.parent.name for each in SOURCE.glob("*/__init__.py")}
    assert {name for name in packages if f"{name}/" not in architecture} == set()


def test_the_readme_is_short_and_announces_nothing() -> None:
    readme = text_of(ROOT / "README.md")
    assert len(readme.splitlines()) <= 80
    assert re.search(r"comes? next|not yet|coming soon|so far", readme) is None
