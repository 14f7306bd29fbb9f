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
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT: Final = Path(__file__).parents[1]
SOURCE: Final = ROOT / "src" / "mindfirl"
LANGUAGES: Final = ("de",)
_KEYWORDS: Final = DEFAULT_KEYWORDS | {
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
}
_STRING: Final = r"""u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_CALL: Final = re.compile(rf"\b(n?gettext|_)\({_STRING}(?:,\s*{_STRING})?", re.DOTALL)
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
        yield from _in_python(path)
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


def _in_python(path: Path) -> Iterator[Sentence]:
    with path.open("rb") as file:
        for _line, found, _comments, _context in extract("python", file, _KEYWORDS):
            yield Sentence(found if isinstance(found, tuple) else (found,), _named(path))


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
