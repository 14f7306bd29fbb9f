"""Errors and phrases of the layers below, in German and unchanged in English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest
from django.utils.translation import override
from supply.messages import SOURCE

from mindfirl.core.errors import DataError, FieldErrors, MindfirlError
from mindfirl.web.http import lower_words
from mindfirl.web.http.error_words import field_words, translated, words_of

LAYERS = ("core", "engine", "planner", "services", "store", "workspace")


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("Choose at least one worker.", "Wählen Sie mindestens eine Prüfkraft."),
        ("Enter 1 to 5 reviews of each pair.", "Geben Sie 1 bis 5 Prüfungen je Paar ein."),
        (
            "The project has only 80 records. Enter a smaller κ.",
            "Das Projekt hat nur 80 Datensätze. Geben Sie ein kleineres κ ein.",
        ),
        (
            "a.csv, row 3: the text is not UTF-8. Choose its encoding, or save the file as UTF-8.",
            (
                "a.csv, row 3: der Text ist nicht UTF-8. Wählen Sie die Zeichenkodierung, oder "
                "speichern Sie die Datei als UTF-8."
            ),
        ),
    ],
)
def test_a_text_is_translated_sentence_by_sentence(english: str, german: str) -> None:
    with override("de"):
        assert translated(english) == german
    with override("en"):
        assert translated(english) == english


def test_what_is_not_known_stays_between_what_is() -> None:
    with override("de"):
        assert translated("Nobody says this. Choose at least one worker.") == (
            "Nobody says this. Wählen Sie mindestens eine Prüfkraft."
        )
        assert translated("Nobody says this") == "Nobody says this"
        assert translated("") == ""


def test_a_percent_sign_is_no_figure() -> None:
    with override("de"):
        assert translated("Enter more than 2.5% and at most 100%.") == (
            "Geben Sie mehr als 2.5% und höchstens 100% ein."
        )


def test_errors_are_told_in_the_language_of_the_page() -> None:
    located = DataError("the file is empty.", "Give a file with a header.", file="a.csv")
    wrong = FieldErrors({"kappa": "Enter 1 or more."})
    with override("de"):
        assert words_of(located) == (
            "a.csv: die Datei ist leer. Geben Sie eine Datei mit Kopfzeile an."
        )
        assert field_words(wrong) == {"kappa": "Geben Sie 1 oder mehr ein."}
    with override("en"):
        assert words_of(MindfirlError("Reload the page.")) == "Reload the page."


@cache
def said_below() -> tuple[str, ...]:
    """Read the texts of the layers below, and those between figures."""
    trees = (
        ast.parse(path.read_bytes()) for layer in LAYERS for path in (SOURCE / layer).rglob("*.py")
    )
    return tuple(text for tree in trees for text in _texts(tree))


def _texts(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def is_said(message: str) -> bool:
    """Tell whether what a message says between its figures is all said below."""
    parts = re.split(r"%\(\w+\)s", message.replace("%%", "%"))
    told = [part.strip(" :.;,") for part in parts]
    return all(any(part in text for text in said_below()) for part in told)


@pytest.mark.parametrize(
    "message", lower_words.PHRASES + lower_words.WITH_FIGURES + lower_words.SECOND_SENTENCES
)
def test_the_layers_below_still_say_each_line(message: str) -> None:
    assert is_said(message)


def test_a_line_that_nobody_says_is_found() -> None:
    assert not is_said("This is said by %(nobody)s at all.")
