"""Which columns of several databases hold the same attribute."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import count

from mindfirl.engine.schema.headings import plain
from mindfirl.engine.schema.profile import ColumnProfile


def matched(profiles: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Give the columns of one database attributes of their own; those of several match by them.

    A second column for the same attribute is named after its heading. A column whose attribute
    another database lacks cannot be compared: it is ignored, for it would identify people if it
    went into the linked data.
    """
    named = _with_own_attributes(profiles)
    databases = {each.database for each in profiles}
    holders = defaultdict(set)
    for each in named:
        holders[each.attribute].add(each.database)
    return [
        each
        if not each.attribute or holders[each.attribute] == databases
        else _ignored(each, "another database has no such column")
        for each in named
    ]


def free_name(wanted: str, taken: Container[str]) -> str:
    """Return a name that is not taken: as wanted, or with a number behind it."""
    numbered = (f"{wanted}_{number}" for number in count(2))
    return wanted if wanted not in taken else next(name for name in numbered if name not in taken)


def _with_own_attributes(profiles: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Leave a database one record id, and each of its columns an attribute of its own."""
    named: list[ColumnProfile] = []
    taken: defaultdict[str, set[str]] = defaultdict(set)
    with_id: set[str] = set()
    for profile in profiles:
        each, names = profile, taken[profile.database]
        if each.role == "record id" and each.database in with_id:
            each = _ignored(each, "a second record id")
        elif each.role == "record id":
            with_id.add(each.database)
        elif each.attribute:
            again = free_name(plain(each.column), names)
            each = replace(each, attribute=again if each.attribute in names else each.attribute)
            names.add(each.attribute)
        named.append(each)
    return named


def _ignored(profile: ColumnProfile, warning: str) -> ColumnProfile:
    return replace(
        profile,
        role="ignored",
        attribute="",
        kind=None,
        date_order=None,
        two_digit_years=False,
        warnings=(*profile.warnings, warning),
    )
