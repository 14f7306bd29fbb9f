"""The traces that a value leaves, and whether a text has any: a comment, a row of a release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, Literal
from unicodedata import normalize

from mindfirl.core.display.cells import SEPARATOR, Sign
from mindfirl.core.errors import CommentRepeats, SettingError
from mindfirl.core.traces.disguises import Words
from mindfirl.core.traces.normal_form import (
    COMMENTS,
    ELSEWHERE,
    LONGEST_STANDALONE,
    ORDINARY,
    RELEASES,
    Thresholds,
    spellings,
)
from mindfirl.core.traces.words import (
    date_digits,
    days_in,
    days_of,
    digits_in,
    parts_of_numbers,
    read_words,
    repeats_word,
    standalone_numbers,
    whole_numbers,
    words_of,
)
from mindfirl.core.values.schema import Kind

Repeat = Literal["word", "number", "date"]

_DIGIT: Final = re.compile("[0-9]")


@dataclass(frozen=True, slots=True, repr=False)
class Traces:
    """What must not be repeated: words, numbers that stand alone, digits anywhere, and days."""

    words: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    digits: tuple[str, ...] = ()
    days: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Text:
    """A text, read once to be searched for many traces.

    ``words`` has an item for each spelling. ``numbers`` stand alone; ``digits`` are all those of
    the text, with an x where a letter divides them.
    """

    words: tuple[Words, ...]
    numbers: frozenset[str] = frozenset()
    digits: str = ""
    days: frozenset[str] = frozenset()


def read_text(text: str) -> Text:
    """Take a text apart."""
    forms = spellings(text)
    words = tuple(map(read_words, forms))
    if not _DIGIT.search(forms[0]):
        return Text(words)
    return Text(words, standalone_numbers(forms[0]), digits_in(forms[0]), days_in(forms[0]))


def traces_of(value: str, limits: Thresholds, *, whole: bool = True) -> Traces:
    """Return the traces of a value, or of a part of one that can be seen."""
    forms = spellings(value)
    words = tuple(
        dict.fromkeys(word for form in forms for word in words_of(form, limits, whole=whole))
    )
    if limits.fragments:
        return Traces(words, digits=tuple(dict.fromkeys(parts_of_numbers(forms[0]))))
    numbers = dict.fromkeys(whole_numbers(forms[0]))
    return Traces(
        words,
        numbers=tuple(each for each in numbers if len(each) <= LONGEST_STANDALONE),
        digits=tuple(each for each in numbers if len(each) > LONGEST_STANDALONE),
    )


def traces_of_date(parts: Sequence[str], limits: Thresholds) -> Traces:
    """Return the traces of a date, or of those of its parts that can be seen, in their order."""
    parts = [spellings(part)[0] for part in parts]
    return Traces(
        digits=tuple(date_digits(parts)) if limits.fragments else (),
        days=tuple(days_of(parts, fragments=limits.fragments)),
    )


def merge(several: Iterable[Traces]) -> Traces:
    """Return the traces of several values."""
    listed = list(several)
    return Traces(
        *(
            tuple(dict.fromkeys(chain.from_iterable(getattr(each, name) for each in listed)))
            for name in ("words", "numbers", "digits", "days")
        )
    )


def repeats(text: Text, traces: Traces, limits: Thresholds) -> Iterator[Repeat]:
    """Return what kinds of traces a text has."""
    if repeats_word(text.words, traces.words, limits):
        yield "word"
    if not text.numbers.isdisjoint(traces.numbers) or any(
        digits in text.digits for digits in traces.digits
    ):
        yield "number"
    if not text.days.isdisjoint(traces.days):
        yield "date"


_DATE: Final = re.compile(r"[0-9]{4}(-[0-9]{2}){0,2}")


def identifying_traces(kind: Kind, value: str) -> Traces:
    """Return the traces of a value in its canonical form that must not be in its person's rows.

    Categories are not searched for: the word for a sex or a race identifies nobody.
    """
    if kind == "category":
        return Traces()
    if kind == "date" and _DATE.fullmatch(value):
        return traces_of_date(value.split("-"), RELEASES)
    return traces_of(value, RELEASES)


LONGEST: Final = 500
_NOTHING: Final = Traces()


def written(words: str) -> str:
    """Return a comment in the form in which it is saved; one that is too long is refused."""
    comment = normalize("NFC", words.replace("\r\n", "\n")).strip()
    if len(comment) > LONGEST:
        raise SettingError(f"A comment can have at most {LONGEST} characters. Shorten it.")
    return comment


def check_comment(words: str, rows: Iterable[Sequence[Sign]], elsewhere: Traces = _NOTHING) -> None:
    """Refuse a comment that repeats what is open to its writer: its readers may not have opened it.

    Rows are those of the pair that it is about; ``elsewhere`` are the traces of all other pairs. It
    is never compared with what is hidden: somebody who guesses would learn which guesses are right.
    """
    if repeated(words, rows, elsewhere):
        raise CommentRepeats


def repeated(words: str, rows: Iterable[Sequence[Sign]], elsewhere: Traces = _NOTHING) -> bool:
    """Say whether a text repeats what is open, however it is written."""
    text = read_text(words)
    return any(repeats(text, comment_traces(rows, COMMENTS), COMMENTS)) or any(
        repeats(text, elsewhere, ELSEWHERE)
    )


def comment_traces(rows: Iterable[Sequence[Sign]], limits: Thresholds) -> Traces:
    """Return the traces of what rows show; ordinary words are none."""
    traces = merge(found for row in rows for found in _shown_traces(row, limits))
    return replace(traces, words=tuple(word for word in traces.words if word not in ORDINARY))


def _shown_traces(row: Sequence[Sign], limits: Thresholds) -> Iterator[Traces]:
    runs, hidden = _shown_runs(row)
    for parts in runs:
        if limits.fragments or len(parts) == 1:
            yield traces_of("".join(parts), limits, whole=not hidden)
        if len(parts) > 1:
            yield traces_of_date(parts, limits)


def _shown_runs(row: Sequence[Sign]) -> tuple[list[list[str]], bool]:
    """Return what can be seen of a row, dates in parts, and whether anything is hidden."""
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
