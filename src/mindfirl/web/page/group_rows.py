"""How well groups were linked, in words: on reports and beside releases."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from mindfirl.web.page.labels import label

GroupRows = list[tuple[str, list[tuple[str, dict[str, Any], str]]]]
"""For each grouping its name and its groups, each with the difference of its rate in points."""


def linkage_group_rows(found: dict[str, Any] | None) -> GroupRows:
    return [
        (
            _("Database") if grouping["kind"] == "database" else label(grouping["name"]),
            [
                (_group_name(each["name"]), each, f"{100 * each['difference']:+.1f}")
                for each in grouping["groups"]
            ],
        )
        for grouping in (found["by"] if found else ())
    ]


def _group_name(name: str | None) -> str:
    if name is None:
        return _("all others combined")
    return name or _("no value")
