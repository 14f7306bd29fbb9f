"""The check before a release: the file, as it was written, is read back and searched.

It is held against what only the one who checks may know: the identifying values of each person, and
the pseudonyms that are known elsewhere. What is found is counted by column and kind, and never
named.

It does not find what is no value of that person's records: nicknames, other spellings, relatives;
nor names of fewer than three letters, nor a year of birth by itself.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, Final, Literal

import numpy as np
import pyarrow as pa

from mindfirl.core.errors import DataError
from mindfirl.core.linkage_groups import CERTAINTIES
from mindfirl.core.progress import StepProgress, no_step_progress
from mindfirl.core.traces.normal_form import LEAST_DIGITS, RELEASES, joined, runs, spellings
from mindfirl.core.traces.repeats import Text, Traces, identifying_traces, merge, read_text, repeats
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.core.values.schema import Kind
from mindfirl.core.values.telling_columns import Telling
from mindfirl.engine.release.formulas import is_formula
from mindfirl.engine.release.release_files import Columns, Form, contents
from mindfirl.engine.release.table import (
    CERTAINTY,
    DATABASE,
    DATABASES_BETWEEN,
    LINKED,
    OURS,
    PERSON,
    RECORDS,
    WAYS,
)

Identifier = tuple[Kind, str]
"""An identifying value in its canonical form, and the kind of its attribute."""


class Identities(Mapping[str, Sequence[Identifier]]):
    """The identifying values of each person of a release, looked up when they are asked for."""

    def __init__(self, numbers: pa.Array, columns: Iterable[tuple[Kind, CleanColumn]]) -> None:
        self._columns = [(kind, column.values, column.codes) for kind, column in columns]
        encoded = numbers.dictionary_encode()
        released = np.flatnonzero(numbers.is_valid().to_numpy(zero_copy_only=False))
        codes = encoded.indices.take(pa.array(released)).to_numpy()
        self._records = released[np.argsort(codes, kind="stable")]
        self._ends = np.cumsum(np.bincount(codes))
        self._persons = {name: place for place, name in enumerate(encoded.dictionary.to_pylist())}

    def __getitem__(self, number: str) -> Sequence[Identifier]:
        place = self._persons[number]
        records = self._records[self._ends[place - 1] if place else 0 : self._ends[place]]
        return [
            (kind, value)
            for kind, values, codes in self._columns
            for code in codes[records].tolist()
            if (value := values[code])
        ]

    def __iter__(self) -> Iterator[str]:
        return iter(self._persons)

    def __len__(self) -> int:
        return len(self._persons)


_LEAST: Final = 4
_LEAST_DIGITS: Final = 8
_LEAST_BYTES: Final = 8
_WITHIN: Final = re.compile("[.-]")
_HEXADECIMAL: Final = re.compile("[0-9a-f]+")
_BASE_64: Final = re.compile("[A-Za-z0-9+/_-]+")


@dataclass(frozen=True, slots=True, repr=False)
class Pseudonyms:
    """Pseudonyms that are known elsewhere: by any of them a row could be joined to something else.

    Bytes are found in hexadecimal digits, with or without hyphens, or in base 64; texts where they
    stand alone. A text of few digits is not sought, for any number might be one: give the ids of a
    person's own records as identifying values of that person.
    """

    numbers: frozenset[bytes] = frozenset()
    words: frozenset[str] = frozenset()
    sizes: frozenset[int] = frozenset()

    def stand_in(self, text: str) -> bool:
        return (bool(self.words) and any(word in self.words for word in _words(text))) or (
            bool(self.numbers) and any(number in self.numbers for number in self._numbers(text))
        )

    def _numbers(self, text: str) -> Iterator[bytes]:
        """Return the bytes that a text may write, of the sizes that are sought."""
        for size in self.sizes:
            if len(text) * 3 < size * 4:
                continue
            for run in _HEXADECIMAL.findall(text.lower().replace("-", "")):
                for start in range(len(run) - 2 * size + 1):
                    yield bytes.fromhex(run[start : start + 2 * size])
            length = -(-size * 4 // 3)
            for run in _BASE_64.findall(text):
                if len(run) == length:
                    whole = run.translate(_SAFE) + "=" * (-length % 4)
                    yield urlsafe_b64decode(whole)


def pseudonyms(known: Iterable[bytes | str]) -> Pseudonyms:
    numbers, words = set(), set()
    for each in known:
        if isinstance(each, bytes):
            assert len(each) >= _LEAST_BYTES
            numbers.add(each)
        elif len(word := joined(each)) >= (_LEAST_DIGITS if word.isdigit() else _LEAST):
            words.add(word)
    return Pseudonyms(frozenset(numbers), frozenset(words), frozenset(map(len, numbers)))


def _words(text: str) -> Iterator[str]:
    """Return what stands alone in a text: between spaces, or between signs of any kind."""
    normal = spellings(text)[0]
    yield from runs(normal)
    yield from _WITHIN.sub("", normal).split()


_SAFE: Final = str.maketrans("+/", "-_")


Leak = (
    Literal[
        "identifying column", "word", "number", "date", "pseudonym", "formula", "unexpected value"
    ]
    | Telling
)
"""What can be wrong: a column called like one that identifies; a cell that holds a word, number or
date of its row's person, or a pseudonym known elsewhere; a cell or a name that a spreadsheet would
take for a formula; a person, a database or a way of linking that the release does not have; a
column that tells persons apart by itself."""

IN_CELLS: Final[tuple[Leak, ...]] = ("word", "number", "date", "pseudonym", "formula")
"""What is found in single cells, which can be blanked."""

_SHORTEST: Final = 2
"""Cells of one character are codes; in most files they are the majority."""


@dataclass(frozen=True, slots=True)
class Finding:
    column: str
    kind: Leak
    count: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Secrets:
    """What a file is held against: values by person number, names of columns; never shown."""

    identities: Mapping[str, Iterable[Identifier]]
    columns: Collection[str]
    databases: Collection[str]
    pseudonyms: Pseudonyms


def check(
    file: BinaryIO,
    form: Form,
    secrets: Secrets,
    *,
    rows: int,
    progress: StepProgress = no_step_progress,
) -> tuple[Finding, ...]:
    written = contents(file, form)
    counts = Counter(_in_header(written.names, secrets))
    search = _Search(written.names, secrets)
    done = 0
    for columns in written.batches:
        counts.update(search.leaks(columns))
        done += len(columns[0])
        progress(done, rows)
    if done != rows:
        rule = f"{rows:,} rows were written, and {done:,} are read back."
        raise DataError(rule, "Create the release again.")
    order = {name: place for place, name in enumerate(written.names)}
    return tuple(
        Finding(column, kind, count)
        for (column, kind), count in sorted(
            counts.items(), key=lambda each: (order.get(each[0][0], -1), each[0][1])
        )
    )


def _in_header(names: Sequence[str], secrets: Secrets) -> Iterator[tuple[str, Leak]]:
    identifying = {joined(name) for name in secrets.columns}
    for name in names:
        if joined(name) in identifying:
            yield name, "identifying column"
        if is_formula(name):
            yield name, "formula"
    yield from ((name, "unexpected value") for name in OURS if names.count(name) != 1)


class _Counts:
    """All whole numbers, as texts."""

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and text.isascii() and text.isdigit()


class _Databases:
    """The databases of a release, one or several of them, as texts."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = frozenset(names)

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self._names.issuperset(text.split(DATABASES_BETWEEN))


class _Search:
    def __init__(self, names: Sequence[str], secrets: Secrets) -> None:
        self._names = names
        self._secrets = secrets
        self._traces: dict[Identifier, Traces] = {}
        self._ours: dict[str, Container[str]] = {
            PERSON: secrets.identities,
            DATABASE: _Databases(secrets.databases),
            LINKED: WAYS,
            RECORDS: _Counts(),
            CERTAINTY: CERTAINTIES,
        }

    def leaks(self, columns: Columns) -> Counter[tuple[str, Leak]]:
        found: Counter[tuple[str, Leak]] = Counter()
        wanted = self.wanted(columns)
        for name, cells in zip(self._names, columns, strict=True):
            for cell, count in Counter(cells).items():
                found.update({(name, kind): count for kind in self.leaks_anywhere(name, cell)})
            if name not in self._ours:
                found.update((name, kind) for kind in _repeated(cells, wanted))
        return found

    def leaks_anywhere(self, name: str, cell: str) -> Iterator[Leak]:
        if is_formula(cell):
            yield "formula"
        if self._secrets.pseudonyms.stand_in(cell):
            yield "pseudonym"
        if name in self._ours and cell not in self._ours[name]:
            yield "unexpected value"

    def wanted(self, columns: Columns) -> list[Traces]:
        if PERSON not in self._names:
            return [Traces()] * len(columns[0])
        persons = columns[self._names.index(PERSON)]
        known = {person: self._of_person(person) for person in set(persons)}
        return [known[person] for person in persons]

    def _of_person(self, person: str) -> Traces:
        if person not in self._secrets.identities:
            return Traces()
        values = dict.fromkeys(self._secrets.identities[person])
        return merge(self._of_value(value) for value in values)

    def _of_value(self, value: Identifier) -> Traces:
        found = self._traces.get(value)
        if found is None:
            found = self._traces[value] = identifying_traces(*value)
        return found


def leaking_cells(table: pa.Table, column: str, secrets: Secrets) -> list[bool]:
    """Say of each cell of a column whether the check would find anything in it."""
    search = _Search([PERSON, column], secrets)
    persons, cells = (
        [cell or "" for cell in table.column(name).to_pylist()] for name in (PERSON, column)
    )
    anywhere = {cell: any(search.leaks_anywhere(column, cell)) for cell in set(cells)}
    wanted = search.wanted([persons, cells])
    texts = {cell: _read(cell) for cell in set(cells)}
    return [
        anywhere[cell] or any(_repeats(texts[cell], traces))
        for cell, traces in zip(cells, wanted, strict=True)
    ]


def _repeated(cells: Sequence[str], wanted: Sequence[Traces]) -> Iterator[Leak]:
    texts = {cell: _read(cell) for cell in set(cells)}
    for cell, traces in zip(cells, wanted, strict=True):
        yield from _repeats(texts[cell], traces)


def _repeats(texts: Sequence[Text], traces: Traces) -> Iterator[Leak]:
    yield from dict.fromkeys(kind for text in texts for kind in repeats(text, traces, RELEASES))


def _read(cell: str) -> list[Text]:
    """Take a cell apart, and what it encodes; nothing if it is too short to repeat anything."""
    if len(cell) < (LEAST_DIGITS if cell.isdecimal() else _SHORTEST):
        return []
    return [read_text(text) for text in (cell, *decoded(cell))]


def decoded(cell: str) -> Iterator[str]:
    """Return the texts that the words of a cell write in base 64 or in hexadecimal digits."""
    for word in _ENCODED.findall(cell):
        even = len(word) % 2 == 0 and _HEXADECIMAL.fullmatch(word.lower())
        whole = word.rstrip("=").translate(_SAFE)
        readings = [bytes.fromhex(word)] if even else []
        if len(whole) % 4 != 1:
            readings.append(urlsafe_b64decode(whole + "=" * (-len(whole) % 4)))
        for reading in readings:
            with suppress(UnicodeDecodeError):
                text = reading.decode()
                if text.isprintable():
                    yield text


_ENCODED: Final = re.compile("[A-Za-z0-9+/_-]{4,}={0,2}")
