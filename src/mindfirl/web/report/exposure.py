"""What people have seen, as reports write it: by person, by attribute, by group of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.web.page.figures import along, count, percent
from mindfirl.web.report.figures import Content, expected_number, part

_KINDS: Final = {
    "review": gettext_lazy("reviewer"),
    "adjudication": gettext_lazy("adjudicator"),
}
_FREQUENCIES: Final = {
    "unique": gettext_lazy("held by nobody else"),
    "rare": gettext_lazy("held by 2 to 5 records"),
    "common": gettext_lazy("held by 6 to 100 records"),
    "very common": gettext_lazy("held by more than 100 records"),
}


@dataclass(frozen=True, slots=True)
class PersonRow:
    """What one person has seen, or all together."""

    number: int
    kinds: str
    pairs: str
    decided: str
    budget: str
    charged: str
    spent_width: str
    published: str
    strict: str
    union: str
    records: str
    reidentifications: str
    characters: str


@dataclass(frozen=True, slots=True)
class AttributeRow:
    """How much of an attribute was shown, at which level."""

    name: str
    cells: list[str]
    partial: str
    full: str
    of: str
    share: str
    partial_width: str
    full_width: str


@dataclass(frozen=True, slots=True)
class GroupRow:
    name: Any
    persons: str
    records: str
    shown: str
    characters: str
    risk: str
    width: str


@dataclass(frozen=True, slots=True)
class GroupsSection:
    """What was shown of the records of each group."""

    attribute: str
    by_value: bool
    least: int
    rows: list[GroupRow]
    alike: bool


def person_row(found: Content) -> PersonRow:
    seen = found["exposure"] or {}
    return PersonRow(
        number=found.get("number", 0),
        kinds=", ".join(str(_KINDS[kind]) for kind in found.get("kinds", ())),
        pairs=count(found["pairs"]),
        decided=count(found["decided"]) if "decided" in found else "",
        budget=percent(found["budget"]),
        charged=percent(found["charged"]),
        spent_width=along(found["charged"] / found["budget"] if found["budget"] else 0.0),
        published=percent(seen.get("published", 0.0)),
        strict=percent(seen.get("strict", 0.0)),
        union=percent(seen.get("union", 0.0)),
        records=count(seen.get("records", 0)),
        reidentifications=expected_number(seen.get("reidentifications", 0.0)),
        characters=count(found["characters"]),
    )


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


def attribute_row(found: Content) -> AttributeRow:
    whole = found["of"] or 1
    partial, full = found["characters"]["partial"], found["characters"]["full"]
    return AttributeRow(
        name=found["name"],
        cells=[count(found["cells"][level]) for level in ("masked", "partial", "full")],
        partial=count(partial),
        full=count(full),
        of=count(found["of"]),
        share=percent((partial + full) / whole),
        partial_width=along(partial / whole),
        full_width=along(full / whole),
    )


def groups_section(found: Content | None) -> GroupsSection | None:
    if found is None:
        return None
    most = max((each["risk"] for each in found["groups"]), default=0.0)
    return GroupsSection(
        attribute=found["attribute"],
        by_value=found["by"] == "value",
        least=found["least"],
        rows=[_group(each, found["by"], most) for each in found["groups"]],
        alike=[each["name"] for each in found["groups"]] == [None],
    )


def _group(found: Content, by: str, most: float) -> GroupRow:
    return GroupRow(
        name=_group_name(found["name"], by),
        persons=count(found["persons"]),
        records=count(found["records"]),
        shown=part(found["shown"], found["records"]),
        characters=expected_number(found["characters"]),
        risk=percent(found["risk"]),
        width=along(found["risk"] / most if most else 0.0),
    )


def _group_name(name: str | None, by: str) -> Any:  # noqa: ANN401  # a text, perhaps a lazy one
    if name is None:
        return _("all others, together")
    if not name:
        return _("without a value")
    return _FREQUENCIES[name] if by == "frequency" else name
