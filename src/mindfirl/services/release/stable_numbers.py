"""Person numbers that stay within a project: kept for each linkage that is released.

A register has the number of every person of a linkage, released or not. The next one follows the
records by the lineage of their versions. It needs the sensitive key.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.core.ledger.project_events import NumbersKept
from mindfirl.core.lineage import NOWHERE
from mindfirl.core.person_numbers import MERGED, SPLIT, keep_numbers
from mindfirl.engine.release.table import person_numbers
from mindfirl.store import vault
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.models import Linkage, PersonRegister, SealedFile
from mindfirl.workspace.carried_votes import lineages_of

_NUMBER: Final = "number"
_SINCE: Final = "since"
_HISTORY: Final = pa.schema(
    [
        ("linkage", pa.int64()),
        ("change", pa.large_string()),
        ("old_number", pa.large_string()),
        ("new_number", pa.large_string()),
    ]
)
OLD: Final = "old_number"
NEW: Final = "new_number"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StableNumbers:
    """The number of each record's person in a linkage, and what merged and split until there."""

    register: PersonRegister
    numbers: pa.Array
    history: pa.Table
    told: NumbersKept | None
    """What the ledger is to tell; nothing where the register is there already."""

    def changes(self, released: pa.Array) -> pa.Table:
        """Return how numbers of earlier releases became numbers of this one, step by step."""
        wanted = set(released.drop_null().to_pylist())
        kept = []
        for row in reversed(self.history.to_pylist()):
            if row[NEW] in wanted:
                wanted.add(row[OLD])
                kept.append(row)
        return pa.Table.from_pylist(kept[::-1], schema=_HISTORY)

    def counted(self, changes: pa.Table) -> dict[str, int]:
        """Count what changed against the linkage that was released before, in a release."""
        now = [
            row["change"]
            for row in changes.to_pylist()
            if row["linkage"] == self.register.linkage.number
        ]
        return {MERGED: now.count(MERGED), SPLIT: now.count(SPLIT)}


def stable_numbers(linkage: Linkage, sealed: list[SealedFile]) -> StableNumbers:
    """Return the numbers of a linkage; make them of those of the one that was released before."""
    known = PersonRegister.objects.filter(linkage=linkage)
    found = known.select_related("numbers", "history", "linkage").first()
    if found:
        numbers = vault.unseal(found.numbers).column(_NUMBER).combine_chunks()
        return StableNumbers(found, numbers, vault.unseal(found.history), None)
    last = _last_register(linkage)
    table, history, counts = _followed(linkage, last) if last else _first(linkage)
    for kind, each in (("register", table), ("history", history)):
        sealed.append(vault.seal(linkage.project, kind, each))
    made = PersonRegister(
        project=linkage.project, linkage=linkage, numbers=sealed[-2], history=sealed[-1]
    )
    files = digests_of(linkage.project).files(made.numbers, made.history)
    told = NumbersKept(linkage.number, *counts, files)
    return StableNumbers(made, table.column(_NUMBER).combine_chunks(), history, told)


def _last_register(linkage: Linkage) -> PersonRegister | None:
    registers = linkage.project.registers.select_related("linkage__version", "numbers", "history")
    last = registers.order_by("-linkage__number").first()
    if last and last.linkage.number > linkage.number:
        raise SettingError(
            f"Linkage {last.linkage.number} was already released and is newer than this one. With "
            f"person numbers that stay the same, only newer linkages can be released. Release the "
            f"newest linkage."
        )
    return last


def _persons_of(linkage: Linkage) -> NDArray[np.int64]:
    person = vault.unseal(linkage.persons, ["person"]).column("person").to_numpy()
    counted: NDArray[np.int64] = np.unique(person, return_inverse=True)[1]
    return counted


Counts = tuple[int, int, int, int]
"""Persons, those that keep a number, numbers that merged, numbers that split."""


def _first(linkage: Linkage) -> tuple[pa.Table, pa.Table, Counts]:
    person = _persons_of(linkage)
    persons = int(person.max(initial=-1)) + 1
    numbers = person_numbers(persons, secrets.token_bytes)
    since = np.full(persons, linkage.number, dtype=np.int64)
    return _register(person, numbers, since), _HISTORY.empty_table(), (persons, 0, 0, 0)


def _followed(linkage: Linkage, last: PersonRegister) -> tuple[pa.Table, pa.Table, Counts]:
    person, before = _persons_of(linkage), _positions_before(linkage, last.linkage)
    known = vault.unseal(last.numbers)
    encoded = known.column(_NUMBER).combine_chunks().dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.int64)
    age = np.zeros(len(encoded.dictionary), dtype=np.int64)
    age[codes] = known.column(_SINCE).to_numpy()
    number = np.full(len(person), NOWHERE, dtype=np.int64)
    there = before != NOWHERE
    number[there] = codes[before[there]]
    found = keep_numbers(number, person, age)
    stays = found.kept != NOWHERE
    earlier = encoded.dictionary.to_pylist()
    drawn = iter(person_numbers(int((~stays).sum()), secrets.token_bytes, set(earlier)).to_pylist())
    names = [earlier[code] if code != NOWHERE else next(drawn) for code in found.kept.tolist()]
    since = np.where(stays, age[found.kept], linkage.number)
    rows = [
        {"linkage": linkage.number, "change": change, OLD: earlier[old], NEW: names[now]}
        for change, pairs in ((MERGED, found.merged), (SPLIT, found.split))
        for old, now in sorted(pairs)
    ]
    history = [vault.unseal(last.history), pa.Table.from_pylist(rows, schema=_HISTORY)]
    counts = (len(names), int(stays.sum()), len(found.merged), len(found.split))
    table = _register(person, pa.array(names, pa.large_string()), since)
    return table, pa.concat_tables(history), counts


def _positions_before(linkage: Linkage, last: Linkage) -> NDArray[np.int64]:
    """Say where each record stood in the version of the linkage that was released before."""
    if linkage.version_id == last.version_id:
        return np.arange(linkage.version.records, dtype=np.int64)
    return lineages_of(linkage.version).earlier[last.version.number].before


def _register(person: NDArray[np.int64], numbers: pa.Array, since: NDArray[np.int64]) -> pa.Table:
    return pa.table({_NUMBER: numbers.take(pa.array(person)), _SINCE: since[person]})
