"""Every visible sentence has a German one, with the same figures and the same markup."""

from __future__ import annotations

import io
import re
from collections import Counter
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo, write_mo
from supply import messages

_PLACES = re.compile(r"%\(\w+\)[sd]|%[sd]|%%|\{\w+\}|</?[a-z][^>]*>|&\w+;")


@pytest.fixture(scope="module")
def german() -> Catalog:
    return messages.translated("de")


@pytest.fixture(scope="module")
def said() -> set[tuple[str, ...]]:
    return {each.forms for each in messages.sentences()}


def _forms(words: Any) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)


def _sentences(catalog: Catalog) -> list[Message]:
    return [each for each in catalog if each.id]


def _places(message: Message) -> list[set[tuple[str, int]]]:
    """Count the figures and the markup of each form, first of English, then of German."""
    forms = [*_forms(message.id), *_forms(message.string)]
    return [set(Counter(_PLACES.findall(form)).items()) for form in forms]


def _misplaced(message: Message) -> bool:
    """Tell whether a German form has other places than any English one."""
    places, originals = _places(message), len(_forms(message.id))
    return any(each not in places[:originals] for each in places[originals:])


def test_every_visible_sentence_has_german_words(
    german: Catalog, said: set[tuple[str, ...]]
) -> None:
    missing = said - {_forms(each.id) for each in _sentences(german)}
    assert not missing, "run make messages, and translate what it lists"
    assert messages.untranslated(german) == []
    assert [each.id for each in _sentences(german) if each.fuzzy] == []


def test_nothing_is_translated_that_no_page_says(
    german: Catalog, said: set[tuple[str, ...]]
) -> None:
    assert {_forms(each.id) for each in _sentences(german)} <= said


def test_german_sentences_keep_figures_and_markup(german: Catalog) -> None:
    assert [each.id for each in _sentences(german) if _misplaced(each)] == []


def test_german_sentences_end_as_the_english_ones_do(german: Catalog) -> None:
    ends = re.compile(r"[.:…?]?\s*$")
    wrong = [
        (each.id, each.string)
        for each in _sentences(german)
        for one, other in zip(_forms(each.id), _forms(each.string), strict=True)
        if ends.findall(one)[0] != ends.findall(other)[0]
    ]
    assert wrong == []


def test_a_missing_sentence_is_named() -> None:
    catalog = messages.extracted("de")
    assert "Sign in" in messages.untranslated(catalog)
    catalog["Sign in"].string = "Anmelden"
    assert "Sign in" not in messages.untranslated(catalog)


def test_one_form_of_a_plural_is_not_a_translation() -> None:
    catalog = Catalog(locale="de")
    catalog.add(("%(n)s pair", "%(n)s pairs"), ("%(n)s Paar", ""))
    assert messages.untranslated(catalog) == ["%(n)s pair"]


def test_a_lost_figure_is_found() -> None:
    assert _misplaced(Message("%(n)s of <b>%(m)s</b>", "%(n)s von %(m)s"))
    assert not _misplaced(Message("%(n)s of <b>%(m)s</b>", "von <b>%(m)s</b> %(n)s"))


def test_the_compiled_catalogue_is_that_of_the_source(german: Catalog) -> None:
    compiled = messages.catalogue_file("de").with_suffix(".mo").read_bytes()
    fresh = io.BytesIO()
    write_mo(fresh, german)
    assert read_mo(io.BytesIO(compiled))._messages.keys() == german._messages.keys()  # noqa: SLF001
    assert compiled == fresh.getvalue()


def test_templates_and_python_are_both_read() -> None:
    files = {each.file.rpartition(".")[2] for each in messages.sentences()}
    assert files == {"py", "html"}
