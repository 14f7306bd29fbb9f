"""Comments on a pair: what they may say.

A comment goes to people who have not opened what its writer has. So it must not repeat a word, a
number or a date that its writer sees in that pair. It is never compared with what is hidden:
somebody who guesses would learn which guesses are right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from unicodedata import normalize

from mindfirl.core.display.cells import SEPARATOR, Sign
from mindfirl.core.errors import CommentRepeats, SettingError
from mindfirl.core.traces.repeats import (
    Traces,
    merge,
    read_text,
    repeats,
    traces_of,
    traces_of_date,
)
from mindfirl.core.traces.thresholds import COMMENTS

LONGEST: Final = 500
"""How many characters a comment may have."""


def written(words: str) -> str:
    """Return a comment in the form in which it is saved; one that is too long is refused."""
    comment = normalize("NFC", words.replace("\r\n", "\n")).strip()
    if len(comment) > LONGEST:
        raise SettingError(f"A comment has {LONGEST} characters at most. Say it in fewer.")
    return comment


def check_comment(words: str, rows: Iterable[Sequence[Sign]]) -> None:
    """Refuse a comment that repeats what rows of a pair show."""
    if repeated(words, rows):
        raise CommentRepeats


def repeated(words: str, rows: Iterable[Sequence[Sign]]) -> bool:
    """Say whether a text repeats what rows show, however it is written."""
    traces = merge(found for row in rows for found in _shown_traces(row))
    return any(repeats(read_text(words), traces, COMMENTS))


def _shown_traces(row: Sequence[Sign]) -> Iterator[Traces]:
    """Return the traces of the neighbouring characters of a row that can be seen."""
    runs, hidden = _shown_runs(row)
    for parts in runs:
        yield traces_of("".join(parts), COMMENTS, whole=not hidden)
        if len(parts) > 1:
            yield traces_of_date(parts, COMMENTS)


def _shown_runs(row: Sequence[Sign]) -> tuple[list[list[str]], bool]:
    """Return what can be seen of a row, and whether anything is hidden.

    A separator of a date does not end a run, but a part of it.
    """
    runs, hidden = [[""]], False
    for sign in row:
        if sign.shown:
            runs[-1][-1] += sign.text
        elif sign.text == SEPARATOR:
            runs[-1].append("")
        else:
            runs.append([""])
            hidden = True
    visible = ([part for part in run if part] for run in runs)
    return [run for run in visible if run], hidden
