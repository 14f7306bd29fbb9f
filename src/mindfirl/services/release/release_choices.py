"""What is to be in a release: as it was typed, checked field by field, and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, Literal, get_args

from mindfirl.core.errors import FieldErrors, or_list
from mindfirl.engine.release.person_rows import SEVERAL, Several
from mindfirl.engine.release.remedies import WAYS
from mindfirl.engine.release.table import coarsenable
from mindfirl.engine.schema.schema_file import Coarsening, SchemaFile
from mindfirl.store.models import Linkage
from mindfirl.workspace.open_version import open_version

LONGEST_TERM: Final = 366
MOST_DRAWS: Final = 1_000
_LARGEST: Final = 1_000_000

Rows = Literal["record", "person"]
ROWS: Final[tuple[Rows, ...]] = get_args(Rows)


@dataclass(frozen=True, slots=True)
class Choices:
    """What is to be in a release, and for how long it is kept.

    ``coarsen`` says how much of each quasi-identifier is released; of those that it does not name,
    nothing is. Where anything of them is, ``least_k`` and ``least_l`` must be met. ``shorten`` says
    how sensitive columns are coarsened. Of the columns ``blank``, the cells are emptied in which
    the check would find something; of ``escape``, formulas get an apostrophe. ``least_persons`` is
    the project's minimum when the release is made. ``draw`` is the number of a linkage that is
    drawn at random by how probable its links are; 0 is the linkage itself.
    """

    linked_only: bool = True
    coarsen: dict[str, Coarsening] = field(default_factory=dict)
    least_k: int = 5
    least_l: int = 2
    term: int = 30
    leave_out: tuple[str, ...] = ()
    shorten: dict[str, str] = field(default_factory=dict)
    blank: tuple[str, ...] = ()
    escape: tuple[str, ...] = ()
    rows: Rows = "record"
    several: Several = "all"
    least_persons: int = 10
    draw: int = 0

    def written(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ChoicesTyped:
    linked_only: bool = True
    coarsen: Mapping[str, str] = field(default_factory=dict)
    least_k: str = ""
    least_l: str = ""
    term: str = ""
    leave_out: Sequence[str] = ()
    blank: Sequence[str] = ()
    escape: Sequence[str] = ()
    rows: str = "record"
    several: str = "all"
    draw: str = ""


def offered(linkage: Linkage) -> dict[str, tuple[Coarsening, ...]]:
    return coarsenable(open_version(linkage.version).schema_file)


def sensitive_columns(linkage: Linkage) -> list[str]:
    return [each.name for each in open_version(linkage.version).schema_file.sensitive]


def coarse_at_import(schema: SchemaFile, databases: Sequence[str]) -> set[str]:
    """Name the sensitive columns that hold a part of an attribute that is compared.

    A year of birth that was kept for the linked data is as good a handle on people as one that is
    coarsened for a release.
    """
    return {
        each.name
        for each in schema.sensitive
        for database in databases
        if (column := each.column_in(database)) and schema.attribute_in(column, database)
    }


def read_choices(linkage: Linkage, typed: ChoicesTyped) -> Choices:
    usual, wrong = Choices(), dict[str, str]()
    numbers = {
        name: _whole(name, getattr(typed, name) or str(getattr(usual, name)), most, wrong)
        for name, most in (("least_k", _LARGEST), ("least_l", _LARGEST), ("term", LONGEST_TERM))
    }
    ways, sensitive = offered(linkage), sensitive_columns(linkage)
    filled = {name: how.strip() for name, how in typed.coarsen.items() if how.strip()}
    shorten = {
        name: _known(coarsen_field(name), how, WAYS, wrong)
        for name, how in filled.items()
        if name in sensitive and name not in ways
    }
    coarsen = {
        name: _way(name, how, ways, wrong) for name, how in filled.items() if name not in shorten
    }
    for name in ("leave_out", "blank", "escape"):
        _check_columns(name, getattr(typed, name), sensitive, wrong)
    rows = _known("rows", typed.rows or "record", ROWS, wrong)
    several = _known("several", typed.several or "all", SEVERAL, wrong)
    draw = _whole("draw", typed.draw, MOST_DRAWS, wrong) if typed.draw else 0
    if draw and linkage.project.stable_numbers:
        wrong["draw"] = (
            "Person numbers stay the same in this project, and a drawn linkage cannot keep them. "
            "Release the linkage itself."
        )
    if wrong:
        raise FieldErrors(wrong)
    return Choices(
        typed.linked_only,
        coarsen,
        **numbers,
        leave_out=tuple(dict.fromkeys(typed.leave_out)),
        shorten=shorten,
        blank=tuple(dict.fromkeys(typed.blank)),
        escape=tuple(dict.fromkeys(typed.escape)),
        rows="person" if rows == "person" else "record",
        several=next(each for each in SEVERAL if each == several),
        least_persons=linkage.project.least_persons,
        draw=draw,
    )


def kept_choices(written: Mapping[str, Any]) -> Choices:
    lists = {
        each.name: tuple(written[each.name])
        for each in fields(Choices)
        if isinstance(written.get(each.name), list)
    }
    return Choices(**{**written, **lists})


def coarsen_field(attribute: str) -> str:
    return f"coarsen-{attribute}"


def _whole(name: str, typed: str, most: int, wrong: dict[str, str]) -> int:
    word = typed.strip()
    if word.isascii() and word.isdigit() and len(word) <= len(str(most)) and 1 <= int(word) <= most:
        return int(word)
    wrong[name] = f"Give a whole number from 1 to {most:,}."
    return 0


def _known(name: str, typed: str, among: Sequence[str], wrong: dict[str, str]) -> str:
    if typed not in among:
        wrong[name] = f"Use {or_list(among)}."
    return typed


def _check_columns(
    name: str, typed: Sequence[str], known: Sequence[str], wrong: dict[str, str]
) -> None:
    if not set(typed) <= set(known):
        named = or_list(known) if known else "none"
        wrong[name] = f"Only sensitive columns of this project can be named here: {named}."


def _way(
    name: str, how: str, ways: Mapping[str, tuple[Coarsening, ...]], wrong: dict[str, str]
) -> Coarsening:
    by_word = {str(way): way for way in ways.get(name, ())}
    if how in by_word:
        return by_word[how]
    if by_word:
        wrong[coarsen_field(name)] = f"Use {or_list(by_word)}."
    else:
        known = or_list(ways) if ways else "none"
        wrong[coarsen_field(name)] = (
            "Only sensitive columns, and quasi-identifiers that are no categories, can be "
            f"coarsened: {known}."
        )
    return 0
