"""Errors of the layers below, which are English, in the language of a page.

The catalogue has the sentences without figures. One with a figure stays in English, and so does
the place in a file; the sentences around it are translated.
"""

from __future__ import annotations

import re
from typing import Final

from django.utils.translation import gettext

from mindfirl.core.errors import FieldErrors, MindfirlError

_SENTENCES: Final = re.compile(r"(?<=[.!?]) ")


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
    """Translate the longest runs of sentences that the catalogue has; leave the others."""
    left, said = _SENTENCES.split(text), list[str]()
    while left:
        runs = (" ".join(left[:size]) for size in range(len(left), 0, -1))
        run = next((run for run in runs if gettext(run) != run), left[0])
        said.append(gettext(run))
        left = left[len(_SENTENCES.split(run)) :]
    return " ".join(said)
