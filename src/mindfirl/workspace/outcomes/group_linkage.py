"""How well groups of records were linked: by sex, decade of birth, region, and database.

Groups are told by categories that are compared, by the decades of dates, and by databases. A group
of fewer than ten persons is not told apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.linkage_groups import LEAST_PERSONS, LinkedPairs, linkage_by_group
from mindfirl.core.values.column_values import CleanColumn, concatenate_columns
from mindfirl.core.values.schema import Attribute
from mindfirl.engine.separation.separate import date_part, kept_columns
from mindfirl.store import vault
from mindfirl.store.models import Linkage, Project, Scoring
from mindfirl.workspace.open_version import OpenVersion, open_version
from mindfirl.workspace.outcomes.link_probabilities import linked_pairs

MOST_GROUPS: Final = 30
"""An attribute with more groups is not told: no table of it could be read."""

Codes = NDArray[np.int64]


def newest_linkage_groups(project: Project) -> dict[str, Any] | None:
    linkage = project.linkages.select_related("version", "persons").order_by("-number").first()
    return linkage_groups(linkage) if linkage else None


def linkage_groups(linkage: Linkage) -> dict[str, Any] | None:
    """Say how well groups were linked, where the pairs of a linkage are still there."""
    scoring = Scoring.objects.filter(version=linkage.version).first()
    if scoring is None:
        return None
    person = vault.unseal(linkage.persons, ["person"]).column("person").to_numpy()
    made = linked_pairs(scoring, person)
    is_linked = made.record_is_linked
    return {
        "linkage": linkage.number,
        "least": LEAST_PERSONS,
        "rate": float(is_linked.mean()) if len(is_linked) else 0.0,
        "by": [
            {"name": name, "kind": kind, "groups": told}
            for name, kind, codes, names in _groupings(linkage)
            if len(told := _told(made, codes, names)) > 1
        ],
    }


def _told(made: LinkedPairs, codes: Codes, names: list[str]) -> list[dict[str, Any]]:
    return [asdict(each) for each in linkage_by_group(made, codes, names)]


def _groupings(linkage: Linkage) -> Iterator[tuple[str, str, Codes, list[str]]]:
    opened = open_version(linkage.version)
    sizes = [each.records for each in opened.databases]
    databases = [each.name for each in opened.databases]
    yield "database", "database", np.repeat(np.arange(len(sizes)), sizes), databases
    for attribute in opened.schema.attributes:
        if attribute.kind in ("category", "date"):
            codes, names = _grouped(attribute, _column(opened, attribute.name))
            if len(names) <= MOST_GROUPS:
                yield attribute.name, attribute.kind, codes, names


def _column(opened: OpenVersion, name: str) -> CleanColumn:
    return concatenate_columns(
        [
            kept_columns(vault.unseal(each.identity, [name]), [name])[name]
            for each in opened.databases
        ]
    )


def _grouped(attribute: Attribute, column: CleanColumn) -> tuple[Codes, list[str]]:
    """Put records together by category, or by decade; a missing value is a group of its own."""
    values = [str(value) for value in column.values]
    if attribute.kind == "date":
        values = [date_part(value, "decade") or "" for value in values]
    names = sorted(set(values))
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[value] for value in values], dtype=np.int64)[column.codes], names
