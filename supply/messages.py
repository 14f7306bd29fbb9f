"""The visible sentences of the product, and their translations: ``make messages``.

Sentences are found in Python and in Django templates without GNU gettext, so that any machine that
runs the tests can extract them. The compiled catalogue is committed: an editable install and a
wheel both hold it without a build step, and a test compares it with its source.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT: Final = Path(__file__).parents[1]
SOURCE: Final = ROOT / "src" / "mindfirl"
LANGUAGES: Final = ("de",)
_FORMS: Final = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop"), 1),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), 2),
}
"""The functions that mark a sentence, and how many forms of it they are given."""
_STRING: Final = r"""u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_CALL: Final = re.compile(rf"\b(n?gettext|_)\({_STRING}(?:,\s*{_STRING})?", re.DOTALL)
_LOWER_LAYERS: Final = ("core", "engine", "planner", "services", "store", "workspace")
"""What raises errors in whole English sentences, which pages then show."""
_WITHOUT_PAGES: Final = (
    *("engine/charts/", "engine/schema/schema_file.py", "engine/schema/schema_parser.py"),
    *("planner/people_file.py", "services/specification.py", "services/upkeep/", "store/backup.py"),
)
"""What of them only the command line and notebooks meet."""
# A date of its own would change the file at every run.
_DATE: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Sentence:
    """A message as gettext knows it: one form, or one for a single thing and one for several."""

    forms: tuple[str, ...]
    file: str


def sentences() -> Iterator[Sentence]:
    """Find what people read, in the order of the files."""
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_bytes())
        yield from _in_calls(path, tree)
        if _meets_pages(path.relative_to(SOURCE)):
            yield from _in_lower_layers(path, tree)
    for path in sorted(SOURCE.rglob("templates/**/*.*")):
        yield from _in_template(path)


def extracted(language: str) -> Catalog:
    """Gather all sentences in a catalogue without translations."""
    catalog = Catalog(
        locale=language,
        project="MINDFIRL",
        header_comment="# The sentences of MINDFIRL. Written by make messages; translate msgstr.",
        creation_date=_DATE,
        revision_date=_DATE,
        fuzzy=False,
    )
    for each in sentences():
        catalog.add(
            each.forms if len(each.forms) > 1 else each.forms[0], locations=[(each.file, 0)]
        )
    return catalog


def catalogue_file(language: str) -> Path:
    return SOURCE / "web" / "locale" / language / "LC_MESSAGES" / "django.po"


def translated(language: str) -> Catalog:
    """Read the translations as they stand in the repository."""
    with catalogue_file(language).open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def untranslated(catalog: Catalog) -> list[str]:
    """List the sentences that have no words yet in a catalogue's language."""
    return [_first(each.id) for each in catalog if each.id and not _complete(each.string)]


def write(language: str) -> list[str]:
    """Bring a language's files up to date; return the sentences that lack a translation."""
    catalog = extracted(language)
    if catalogue_file(language).exists():
        for message in translated(language):
            if message.id and message.id in catalog:
                catalog[message.id].string = message.string
    catalogue_file(language).parent.mkdir(parents=True, exist_ok=True)
    with catalogue_file(language).open("wb") as file:
        write_po(file, catalog, width=100, sort_output=True, include_lineno=False)
    with catalogue_file(language).with_suffix(".mo").open("wb") as file:
        write_mo(file, catalog)
    return untranslated(catalog)


def main() -> int:
    """Write every language; fail while a sentence lacks a translation."""
    missing = [(language, each) for language in LANGUAGES for each in write(language)]
    for language, each in missing:
        sys.stderr.write(f"{language}: not translated: {each}\n")
    return 1 if missing else 0


def _in_calls(path: Path, tree: ast.Module) -> Iterator[Sentence]:
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            given = call.args[: _FORMS.get(call.func.id, 0)]
            forms = tuple(str(each.value) for each in given if isinstance(each, ast.Constant))
            if forms:
                yield Sentence(forms, _named(path))


def _meets_pages(module: Path) -> bool:
    return module.parts[0] in _LOWER_LAYERS and not module.as_posix().startswith(_WITHOUT_PAGES)


def _in_lower_layers(path: Path, tree: ast.Module) -> Iterator[Sentence]:
    """Find whole sentences without figures: errors, which pages translate when they show them."""
    for text in sorted(set(_plain_texts(tree))):
        if text[:1].isalpha() and " " in text and text.endswith("."):
            yield Sentence((text,), _named(path))


def _plain_texts(node: ast.AST) -> Iterator[str]:
    """Yield texts that are neither docstrings nor parts of a longer text."""
    if isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for part in ast.iter_child_nodes(node):
        yield from _plain_texts(part)


def _in_template(path: Path) -> Iterator[Sentence]:
    python = templatize(path.read_text(encoding="utf-8"))
    for function, *literals in _CALL.findall(python):
        forms = [ast.literal_eval(each) for each in literals if each]
        yield Sentence(tuple(forms[: 2 if function == "ngettext" else 1]), _named(path))


def _named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _first(forms: str | list[str] | tuple[str, ...]) -> str:
    return forms if isinstance(forms, str) else forms[0]


def _complete(string: str | list[str] | tuple[str, ...] | None) -> bool:
    forms = [string] if isinstance(string, str) else list(string or ())
    return bool(forms) and all(forms)


if __name__ == "__main__":
    sys.exit(main())
