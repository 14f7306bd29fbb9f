"""What is proposed for columns that repeat others: left out, or compared without their words.

It is decided for an attribute in all databases at once, and only by others that are compared in
all of them: the only copy of something is never left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from mindfirl.core.errors import and_list
from mindfirl.engine.schema.column_profile import ColumnProfile, ignored
from mindfirl.engine.schema.containment import COVERED, FEWEST_RECORDS
from mindfirl.engine.schema.schema_file import leads_to

_Place = tuple[str, str]


def without_repetition(
    profiles: Sequence[ColumnProfile], *, keeping: Collection[str] = ()
) -> list[ColumnProfile]:
    found = {(each.database, each.column): each for each in profiles}
    attributes: defaultdict[str, list[ColumnProfile]] = defaultdict(list)
    for each in profiles:
        if each.attribute and not each.part:
            attributes[each.attribute].append(each)
        elif each.role == "sensitive" and each.contains:
            repeated = _is_repeated(each, found)
            found[each.database, each.column] = (_left_out if repeated else _revealing)(each)
    left_out = {
        name
        for name, columns in attributes.items()
        if name not in keeping and _all_repeated(columns, found)
    }
    edges: dict[str, list[str]] = {}
    for name, columns in attributes.items():
        for each in columns:
            if name in left_out:
                found[each.database, each.column] = _left_out(each)
            elif name not in keeping and each.kind in ("string", "fixed"):
                others = _others(each, name, found, left_out, edges)
                found[each.database, each.column] = _with_rest(each, others)
    return list(found.values())


def _all_repeated(columns: Sequence[ColumnProfile], found: dict[_Place, ColumnProfile]) -> bool:
    """Say whether an attribute repeats others in all databases in which that can be told."""
    told = [each for each in columns if each.contains or each.filled >= FEWEST_RECORDS]
    return bool(told) and all(_is_repeated(each, found) for each in told)


def _is_repeated(profile: ColumnProfile, found: dict[_Place, ColumnProfile]) -> bool:
    compared = all(found[profile.database, other].displayed for other in profile.contains)
    return bool(profile.contains) and compared and profile.covered >= COVERED


def _left_out(profile: ColumnProfile) -> ColumnProfile:
    if not profile.contains:  # it has too few records to tell
        return ignored(profile, "left out: it repeats other columns in another database")
    others = and_list(profile.contains)
    return ignored(profile, f"left out: it repeats {others}, and would count twice")


def _revealing(profile: ColumnProfile) -> ColumnProfile:
    reason = f"contains {and_list(profile.contains)}: it names people in the linked data"
    return replace(profile, warnings=(*profile.warnings, reason))


def _others(
    profile: ColumnProfile,
    name: str,
    found: dict[_Place, ColumnProfile],
    left_out: Collection[str],
    edges: dict[str, list[str]],
) -> list[str]:
    """Return the columns whose words are left out of another; none whose own words would be."""
    others = []
    for column in profile.contains:
        attribute = found[profile.database, column].attribute
        if attribute and attribute not in left_out and not leads_to(edges, [attribute], name):
            edges.setdefault(name, []).append(attribute)
            others.append(column)
    return others


def _with_rest(profile: ColumnProfile, others: Sequence[str]) -> ColumnProfile:
    if not others:
        return profile
    reason = f"contains {and_list(others)}: compared without their words, which would count twice"
    if len(others) == 1:
        reason = f"contains {others[0]}: compared without its words, which would count twice"
    return replace(profile, without=tuple(others), warnings=(*profile.warnings, reason))
