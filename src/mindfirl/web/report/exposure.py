"""What was shown, as reports write it: to three attackers, and of each group of records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.web.page.figures import percent

Content = Mapping[str, Any]
"""A report as it is kept, or a part of it."""

_FREQUENCIES: Final = {
    "unique": gettext_lazy("held by nobody else"),
    "rare": gettext_lazy("held by 2 to 5 records"),
    "common": gettext_lazy("held by 6 to 100 records"),
    "very common": gettext_lazy("held by more than 100 records"),
}


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group of records: its name, what is kept of it, and its risk beside the highest."""

    name: Any
    kept: Content
    share: float


@dataclass(frozen=True, slots=True)
class GroupsSection:
    """What was shown of the records of each group."""

    attribute: str
    by_value: bool
    least: int
    rows: list[GroupRow]
    alike: bool


def attacks(seen: Content | None) -> list[tuple[Any, Any, str, str]]:
    """List what three attackers could hope for, by the published and by the strict rules."""
    if seen is None:
        return []
    words = {
        "prosecutor": (
            _("Prosecutor"),
            _("knows somebody who is among the records: the highest chance to find them"),
        ),
        "marketer": (_("Marketer"), _("tries everybody: the chance on average over all rows")),
        "unique_rows": (_("Singled out"), _("rows that only one record fits")),
    }
    return [
        (who, what, percent(seen["attack"][name]), percent(seen["strict_attack"][name]))
        for name, (who, what) in words.items()
    ]


def groups_section(found: Content | None) -> GroupsSection | None:
    if found is None:
        return None
    most = max((each["risk"] for each in found["groups"]), default=0.0) or 1.0
    return GroupsSection(
        attribute=found["attribute"],
        by_value=found["by"] == "value",
        least=found["least"],
        rows=[
            GroupRow(_group_name(each["name"], found["by"]), each, each["risk"] / most)
            for each in found["groups"]
        ],
        alike=[each["name"] for each in found["groups"]] == [None],
    )


def _group_name(name: str | None, by: str) -> Any:  # noqa: ANN401  # a text, perhaps a lazy one
    if name is None:
        return _("all others, together")
    if not name:
        return _("without a value")
    return _FREQUENCIES[name] if by == "frequency" else name
