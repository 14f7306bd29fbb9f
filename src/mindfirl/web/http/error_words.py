"""Errors of the layers below, which are English, in the language of a page.

The catalogue has the sentences without figures, and the more frequent ones with them. What it has
not stays in English, such as the place in a file; the sentences around it are translated.
"""

from __future__ import annotations

import re
from typing import Final

from django.utils.translation import gettext

from mindfirl.core.errors import FieldErrors, MindfirlError
from mindfirl.web.http.lower_words import WITH_FIGURES

_SENTENCES: Final = re.compile(r"(?<=[.!?]) ")


def _shape(message: str) -> re.Pattern[str]:
    """Return what matches a sentence with its figures filled in; what was found is sentences."""
    parts = re.split(r"%\((\w+)\)s", message)
    literal = [re.escape(part.replace("%%", "%")) for part in parts[::2]]
    within = {name: ".+?" if name == "found" else r"(?:(?!\. ).)+?" for name in parts[1::2]}
    figures = [f"(?P<{name}>{within[name]})" for name in parts[1::2]] + [""]
    return re.compile("".join(map("".join, zip(literal, figures, strict=True))))


_SHAPES: Final = tuple((message, _shape(message)) for message in WITH_FIGURES)


def words_of(error: MindfirlError) -> str:
    return translated(str(error))


def field_words(error: FieldErrors) -> dict[str, str]:
    return {name: translated(sentence) for name, sentence in error.fields.items()}


def translated(text: str) -> str:
    """Translate a text of whole sentences, the first perhaps behind a place and a colon."""
    if not text or (whole := gettext(text)) != text:
        return whole if text else ""
    place, colon, rest = text.partition(": ")
    if colon and (known := _in_runs(rest)) != rest:
        return f"{place}{colon}{known}"
    return _in_runs(text)


def _in_runs(text: str) -> str:
    """Translate the longest runs of sentences that are known; leave the others."""
    left, said = _SENTENCES.split(text), list[str]()
    while left:
        runs = (" ".join(left[:size]) for size in range(len(left), 0, -1))
        run, known = next(
            ((run, known) for run in runs if (known := _known(run)) != run), (left[0], left[0])
        )
        said.append(known)
        left = left[len(_SENTENCES.split(run)) :]
    return " ".join(said)


def _known(run: str) -> str:
    if (known := gettext(run)) != run:
        return known
    for message, shape in _SHAPES:
        if found := shape.fullmatch(run):
            return gettext(message) % {
                name: _known(part) for name, part in found.groupdict().items()
            }
    return run
