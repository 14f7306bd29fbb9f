"""Two databases about the same people, a hospital and a registry without a shared key.

Each has its own headings and formats, and sensitive columns that nobody may see beside them, one of
them free text. There are twins, juniors and nicknames, and much is written wrongly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.synthetic.everyday_people import COLUMNS as EVERYDAY_COLUMNS
from mindfirl.synthetic.everyday_people import (
    Person,
    draw_everyday_people,
    written_again,
    written_down,
)
from mindfirl.synthetic.individuals import Row, draw_people, with_mishaps
from mindfirl.synthetic.look_alikes import look_alikes

_TWINS: Final = 0.02
_JUNIORS: Final = 0.02
_HOSPITAL: Final = {"share": 0.7, "mishaps": 0.1}
_REGISTRY: Final = {"share": 0.6, "mishaps": 0.4}

_EVERYDAY: Final = {
    "hospital": {"share": 0.75, "mishaps": 0.4},
    "registry": {"share": 0.65, "mishaps": 0.8},
}
_MOST_WAYS: Final = 3
_TWICE: Final = 0.02
"""The share of persons whom the registry holds twice, though it should not."""
_EVERYDAY_HEADINGS: Final = {
    "hospital": {name: name for name in EVERYDAY_COLUMNS},
    "registry": dict(
        zip(
            EVERYDAY_COLUMNS,
            ("given_name", "surname", "dob", "gender", "address", "city", "telephone"),
            strict=True,
        )
    ),
}

_DIAGNOSES: Final = ["C18.9", "C34.1", "C50.9", "C61", "E11.9", "F32.1", "I10", "I25.1", "J45.9"]
_SITES: Final = ["breast", "bronchus", "colon", "prostate", "skin", "none"]
_NOTES: Final = [
    "Seen in clinic, no complaints.",
    "Follow-up in six weeks.",
    "Medication changed, tolerates it well.",
    "Asks for results by post.",
    "Referred by the family doctor.",
]


@dataclass(frozen=True, slots=True)
class Databases:
    hospital: pa.Table
    registry: pa.Table
    truth: pa.Table


def databases(persons: int, *, seed: int) -> Databases:
    """Write this many persons down in two databases, as life does."""
    rng = np.random.default_rng(seed)
    dice = Random(seed)  # noqa: S311  # made-up people, not secrets
    everyone = _families(draw_people(persons, rng, dice), dice)
    seen = {
        name: np.sort(rng.permutation(persons)[: round(persons * kind["share"])])
        for name, kind in (("hospital", _HOSPITAL), ("registry", _REGISTRY))
    }
    hospital = _hospital(
        _written(everyone, seen["hospital"], _HOSPITAL["mishaps"], dice), rng, dice
    )
    registry = _registry(_written(everyone, seen["registry"], _REGISTRY["mishaps"], dice), rng)
    return _published({"hospital": hospital, "registry": registry}, seen, rng)


def everyday_databases(persons: int, *, seed: int) -> Databases:
    """Write people down who are called as people are, with addresses, telephones and families."""
    rng = np.random.default_rng(seed)
    dice = Random(seed)  # noqa: S311  # made-up people, not secrets
    people = draw_everyday_people(persons, dice)
    seen = {
        name: np.sort(rng.permutation(persons)[: round(persons * kind["share"])])
        for name, kind in _EVERYDAY.items()
    }
    twice = rng.choice(seen["registry"], size=round(persons * _TWICE), replace=False)
    seen["registry"] = np.sort(np.concatenate([seen["registry"], twice]))
    rows = {
        name: _written_rows(people, seen[name].tolist(), kind["mishaps"], dice)
        for name, kind in _EVERYDAY.items()
    }
    identities = {
        name: pa.table(
            {
                heading: pa.array([row[column] for row in rows[name]], pa.string())
                for column, heading in _EVERYDAY_HEADINGS[name].items()
            }
        )
        for name in _EVERYDAY
    }
    identities["registry"] = identities["registry"].set_column(
        2, "dob", _iso_dates(identities["registry"].column("dob"))
    )
    tables = {
        "hospital": _beside(
            identities["hospital"], _hospital_facts(identities["hospital"], rng, dice)
        ),
        "registry": _beside(identities["registry"], _registry_facts(len(rows["registry"]), rng)),
    }
    return _published(tables, seen, rng)


def _written_rows(
    people: Sequence[Person], seen: Sequence[int], mishaps: float, dice: Random
) -> list[Person]:
    """Write people down in their order; who comes again is written nearly as before."""
    rows: list[Person] = []
    for at, before in zip(seen, [-1, *seen], strict=False):
        if at == before:
            rows.append(written_again(rows[-1], dice))
        else:
            most = _MOST_WAYS if dice.random() < mishaps else 0
            rows.append(written_down(people[at], most, dice))
    return rows


def look_alike_databases(persons: int, *, seed: int) -> Databases:
    """Write this many persons down in two databases, many of whom are hard to tell apart."""
    made = look_alikes(persons, seed=seed)
    rng = np.random.default_rng(seed)
    dice = Random(seed)  # noqa: S311  # made-up people, not secrets
    tables = {
        "hospital": _hospital(made.records.slice(0, made.hospital), rng, dice),
        "registry": _registry(made.records.slice(made.hospital), rng),
    }
    seen = {"hospital": made.person[: made.hospital], "registry": made.person[made.hospital :]}
    return _published(tables, seen, rng)


def _published(
    tables: Mapping[str, pa.Table], seen: Mapping[str, NDArray[np.int64]], rng: np.random.Generator
) -> Databases:
    """Shuffle the records of both databases, give them ids, and tell which are of one person."""
    orders = {name: rng.permutation(len(rows)) for name, rows in seen.items()}
    ids = {name: _ids(name[0], order) for name, order in orders.items()}
    left, right = _same_persons(seen["hospital"], seen["registry"])
    order = rng.permutation(len(left))
    return Databases(
        _shuffled(tables["hospital"], "patient_id", ids["hospital"], orders["hospital"]),
        _shuffled(tables["registry"], "record_no", ids["registry"], orders["registry"]),
        pa.table(
            {
                "left": ids["hospital"].take(pa.array(left[order])),
                "right": ids["registry"].take(pa.array(right[order])),
            }
        ),
    )


def _same_persons(
    hospital: NDArray[np.int64], registry: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places of records of one person; a registry may hold somebody twice."""
    places = np.full(max(hospital.max(), registry.max()) + 1, -1)
    places[hospital] = np.arange(len(hospital))
    right = np.flatnonzero(places[registry] >= 0)
    return places[registry[right]], right


def _families(everyone: pa.Table, dice: Random) -> pa.Table:
    """Make some neighbours in the table twins, or father and son of one name."""
    columns = {name: everyone.column(name).to_pylist() for name in everyone.column_names}
    for at in range(0, everyone.num_rows - 1, 2):
        chance = dice.random()
        if chance < _TWINS:
            _inherit(columns, at, ("last_name", "birth_date", "zip", "race"))
            columns["number"][at + 1] = columns["number"][at][:-1] + dice.choice("0123456789")
        elif chance < _TWINS + _JUNIORS:
            _inherit(columns, at, ("first_name", "last_name", "zip", "race", "sex"))
            columns["last_name"][at + 1] += " Jr"
    return pa.table(columns)


def _inherit(columns: dict[str, list[Any]], at: int, names: tuple[str, ...]) -> None:
    for name in names:
        columns[name][at + 1] = columns[name][at]


def _written(
    everyone: pa.Table, persons: NDArray[np.int64], mishaps: float, dice: Random
) -> pa.Table:
    rows: list[Row] = everyone.take(pa.array(persons)).to_pylist()
    return pa.Table.from_pylist(
        [with_mishaps(dice, row) if dice.random() < mishaps else row for row in rows],
        schema=everyone.schema,
    )


def _hospital(people: pa.Table, rng: np.random.Generator, dice: Random) -> pa.Table:
    identities = pa.table(
        {
            "first_name": people.column("first_name"),
            "last_name": pc.utf8_upper(people.column("last_name")),
            "birth_date": people.column("birth_date"),
            "ssn": people.column("number"),
            "zip": people.column("zip"),
            "sex": people.column("sex"),
            "race": people.column("race"),
        }
    )
    return _beside(identities, _hospital_facts(people, rng, dice))


def _registry(people: pa.Table, rng: np.random.Generator) -> pa.Table:
    identities = pa.table(
        {
            "surname": people.column("last_name"),
            "given_name": people.column("first_name"),
            "dob": _iso_dates(people.column("birth_date")),
            "social_security": people.column("number"),
            "postcode": people.column("zip"),
            "gender": people.column("sex"),
            "ethnicity": people.column("race"),
        }
    )
    return _beside(identities, _registry_facts(people.num_rows, rng))


def _iso_dates(dates: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.replace_substring_regex(dates, r"^(\d\d)/(\d\d)/(\d{4})$", r"\3-\1-\2")


def _beside(identities: pa.Table, facts: pa.Table) -> pa.Table:
    for name in facts.column_names:
        identities = identities.append_column(name, facts.column(name))
    return identities


def _hospital_facts(people: pa.Table, rng: np.random.Generator, dice: Random) -> pa.Table:
    """Make up what a hospital knows of people; a few notes name their person."""
    size = people.num_rows
    notes = [
        f"Spoke to {name} on the phone." if name and dice.random() < _TWINS else dice.choice(_NOTES)
        for name in people.column("last_name").to_pylist()
    ]
    days = rng.integers(0, 3_650, size).astype("timedelta64[D]")
    return pa.table(
        {
            "admitted": pa.array(np.datetime64("2014-01-01") + days).cast(pa.string()),
            "diagnosis": pa.array(rng.choice(_DIAGNOSES, size=size)),
            "notes": pa.array(notes),
        }
    )


def _registry_facts(size: int, rng: np.random.Generator) -> pa.Table:
    return pa.table(
        {
            "site": pa.array(rng.choice(_SITES, size=size)),
            "stage": pa.array(rng.choice(["I", "II", "III", "IV", "NA"], size=size)),
            "income": pa.array((rng.lognormal(10.6, 0.5, size) // 100 * 100).astype(np.int64)),
        }
    )


def _ids(letter: str, order: NDArray[np.int64]) -> pa.Array:
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return pa.array([f"{letter}{place + 1:07}" for place in places.tolist()])


def _shuffled(table: pa.Table, name: str, ids: pa.Array, order: NDArray[np.int64]) -> pa.Table:
    return table.add_column(0, name, ids).take(pa.array(order))
