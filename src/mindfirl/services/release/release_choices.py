"""What is to be in a release: as it was typed, checked field by field, and kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from mindfirl.core.errors import FieldErrors, or_list
from mindfirl.engine.release.table import coarsenable
from mindfirl.engine.schema.schema_file import Coarsening
from mindfirl.store.models import Linkage
from mindfirl.workspace.open_version import open_version

LONGEST_TERM: Final = 366
_LARGEST: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Choices:
    """What is to be in a release, and for how long it is kept.

    ``coarsen`` says how much of each quasi-identifier is released; of those that it does not name,
    nothing is. Where it names any, ``least_k`` and ``least_l`` must be met.
    """

    linked_only: bool = True
    coarsen: dict[str, Coarsening] = field(default_factory=dict)
    least_k: int = 5
    least_l: int = 2
    term: int = 30

    def written(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ChoicesTyped:
    linked_only: bool = True
    coarsen: Mapping[str, str] = field(default_factory=dict)
    least_k: str = ""
    least_l: str = ""
    term: str = ""


def offered(linkage: Linkage) -> dict[str, tuple[Coarsening, ...]]:
    return coarsenable(open_version(linkage.version).schema_file)


def read_choices(linkage: Linkage, typed: ChoicesTyped) -> Choices:
    usual, wrong = Choices(), dict[str, str]()
    numbers = {
        name: _whole(name, getattr(typed, name) or str(getattr(usual, name)), most, wrong)
        for name, most in (("least_k", _LARGEST), ("least_l", _LARGEST), ("term", LONGEST_TERM))
    }
    ways = offered(linkage)
    coarsen = {
        name: _way(name, how, ways, wrong) for name, how in typed.coarsen.items() if how.strip()
    }
    if wrong:
        raise FieldErrors(wrong)
    return Choices(typed.linked_only, coarsen, **numbers)


def kept_choices(written: Mapping[str, Any]) -> Choices:
    return Choices(**written)


def coarsen_field(attribute: str) -> str:
    return f"coarsen-{attribute}"


def _whole(name: str, typed: str, most: int, wrong: dict[str, str]) -> int:
    word = typed.strip()
    if word.isascii() and word.isdigit() and len(word) <= len(str(most)) and 1 <= int(word) <= most:
        return int(word)
    wrong[name] = f"Give a whole number from 1 to {most:,}."
    return 0


def _way(
    name: str, how: str, ways: Mapping[str, tuple[Coarsening, ...]], wrong: dict[str, str]
) -> Coarsening:
    by_word = {str(way): way for way in ways.get(name, ())}
    if how.strip() in by_word:
        return by_word[how.strip()]
    if by_word:
        wrong[coarsen_field(name)] = f"Use {or_list(by_word)}."
    else:
        known = or_list(ways) if ways else "none"
        wrong[coarsen_field(name)] = (
            f"Only quasi-identifiers that are no categories can be coarsened: {known}."
        )
    return 0
