"""The traces that a value leaves, and whether a text has any of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

from mindfirl.core.traces.days import date_digits, days_in, days_of
from mindfirl.core.traces.normal_form import spellings
from mindfirl.core.traces.numbers import (
    digits_in,
    parts_of_numbers,
    standalone_numbers,
    whole_numbers,
)
from mindfirl.core.traces.thresholds import LONGEST_STANDALONE, Thresholds
from mindfirl.core.traces.words import Words, read_words, repeats_word, words_of

Repeat = Literal["word", "number", "date"]
"""What a text can repeat."""

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
