"""Reports in words and figures, as a page and a printed sheet draw them.

Only what the kept report says comes in, and everything drawn is an attribute of SVG or a class. So
an old report is drawn as it was, whatever happened since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.risk.percent import write_percent
from mindfirl.web.page.figures import coefficient, count, expected, pairs, percent, whole_percent
from mindfirl.web.page.time_chart import TimeChart, time_chart

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


_OPENED: Final = {
    "nothing": gettext_lazy("All, where nobody had opened anything"),
    "some": gettext_lazy("All, where some was opened"),
    "everything": gettext_lazy("All, where all had opened everything"),
}
_SOURCES: Final = {
    "truth": gettext_lazy("learnt from %(labelled)s pairs of which a file told the truth"),
    "reviews": gettext_lazy("learnt from %(labelled)s pairs that were reviewed twice"),
    "made up": gettext_lazy("learnt from people who do not exist"),
}
_QUALITY: Final = {
    "automatic_precision": gettext_lazy("Automatic links that are right"),
    "precision": gettext_lazy("All links that are right"),
    "recall": gettext_lazy("Links among the pairs found that were made"),
    "missed": gettext_lazy("Links that were missed"),
}


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """What was forecast, beside what became of it; older reports have nothing of that."""

    kept: Content
    source: str
    agreement: str


@dataclass(frozen=True, slots=True)
class AgreementSection:
    pairs: str
    any: bool
    enough: bool
    all: list[tuple[str, str]]
    of_two: list[tuple[str, str, str, str]]
    by_opened: list[tuple[Any, str, str, str]]


@dataclass(frozen=True, slots=True)
class QualitySection:
    rows: list[tuple[Any, str]]
    links: str
    non_links: str


def planned_section(found: Content | None, agreement: Content) -> PlannedSection | None:
    if found is None:
        return None
    return PlannedSection(
        kept=found,
        source=_SOURCES[found["source"]] % {"labelled": count(found["labelled"])},
        agreement=_estimate(agreement["observed"], percents=True),
    )


def agreement_section(found: Content) -> AgreementSection:
    return AgreementSection(
        pairs=pairs(found["pairs"]),
        any=bool(found["pairs"]),
        enough=found["observed"].get("lack") != "too few units",
        all=[
            (name, _estimate(found[key], percents=key == "observed"))
            for key, name in (
                ("observed", _("Observed agreement")),
                ("fleiss", _("Fleiss’ κ")),
                ("alpha", _("Krippendorff’s α")),
                ("alpha_of_steps", _("Krippendorff’s α of the six steps")),
            )
        ],
        of_two=[
            (
                _("Reviewers %(one)d and %(other)d")
                % {"one": each["people"][0], "other": each["people"][1]},
                count(each["observed"]["units"]),
                _estimate(each["observed"], percents=True),
                _estimate(each["cohen"]),
            )
            for each in found["of_two"]
        ],
        by_opened=[
            (
                _OPENED[each["opened"]],
                count(each["observed"]["units"]),
                _estimate(each["observed"], percents=True),
                _estimate(each["alpha"]),
            )
            for each in found["by_opened"]
        ],
    )


def _estimate(found: Content, *, percents: bool = False) -> str:
    """Write a figure with its interval, or why there is none."""
    if found.get("lack") == "too few units":
        return _("too few pairs to tell")
    if found["estimate"] is None:
        return _("not defined: all say the same")
    write = whole_percent if percents else coefficient
    shown = write(found["estimate"])
    if found["low"] is None:
        return shown
    limits = {"low": write(found["low"]), "high": write(found["high"])}
    return f"{shown} ({_('%(low)s to %(high)s') % limits})"


def quality_section(found: Content | None) -> QualitySection | None:
    if found is None:
        return None
    samples = found["samples"]
    return QualitySection(
        rows=[
            (name, _range(found[key], key))
            for key, name in _QUALITY.items()
            if found[key]["low"] is not None
        ],
        links=pairs(samples["links"]["sampled"]),
        non_links=pairs(samples["non_links"]["sampled"]),
    )


def _range(found: Content, key: str) -> str:
    write = expected if key == "missed" else percent
    low, high = write(found["low"]), write(found["high"])
    return low if low == high else _("%(low)s to %(high)s") % {"low": low, "high": high}


_RULES: Final = {
    "unanimous": gettext_lazy("all reviewers must agree"),
    "majority": gettext_lazy("more than half of the reviewers decide"),
    "confidence": gettext_lazy("the more confident side decides"),
}
_REFUSALS: Final = {
    "kappa": gettext_lazy("too few records would have been left"),
    "budget": gettext_lazy("the budget was too small"),
    "together": gettext_lazy("the limit for all together was reached"),
}


@dataclass(frozen=True, slots=True)
class ReportPart:
    """A report in words and figures; ``report`` is what is kept of it."""

    report: Content
    made: datetime
    figures: list[tuple[str, Any]]
    bands: list[tuple[str, str, Any]]
    rules: str
    kappas: str
    advised: bool
    budget_limit: str
    planned: PlannedSection | None
    attacks: list[tuple[Any, Any, str, str]]
    shown: TimeChart | None
    refused: list[tuple[Any, str]]
    agreement: AgreementSection
    quality: QualitySection | None
    groups: GroupsSection | None


def report_part(content: Content) -> ReportPart:
    return ReportPart(
        report=content,
        made=datetime.fromisoformat(content["made"]),
        figures=_figures(content),
        bands=_bands(content["linked"]["pairs"]),
        rules=", ".join(str(_RULES[rule]) for rule in content["terms"]["rule"]),
        kappas=", ".join(map(str, content["terms"]["kappa"])),
        advised=True in content["terms"].get("hints", []),
        budget_limit=_limit(content["terms"]["project_limit"]),
        planned=planned_section(content.get("planned"), content["agreement"]),
        attacks=attacks(content["together"]["exposure"]),
        shown=time_chart(
            {
                datetime.fromisoformat(each["from"]): each["characters"]
                for each in content["over_time"]["periods"]
                if each["characters"]
            }
        ),
        refused=[
            (_REFUSALS[reason], count(times))
            for reason, times in content["refused"].items()
            if times
        ],
        agreement=agreement_section(content["agreement"]),
        quality=quality_section(content["linked"]["quality"]),
        groups=groups_section(content["groups"]),
    )


def _figures(content: Content) -> list[tuple[str, Any]]:
    """Answer the question of the page in a few figures, each with what it is."""
    decided = sum(each["decided"] for each in content["decisions"].values())
    unopened = sum(each["without_opening"] for each in content["decisions"].values())
    characters = sum(each["of"] for each in content["attributes"])
    all_together = content["together"]
    seen = all_together["exposure"] or {}
    return [
        (_share(unopened, decided), _("of all decisions were made without opening anything")),
        (
            _share(all_together["characters"], characters),
            _("of the characters in the reviewed pairs were shown"),
        ),
        (percent(seen.get("published", 0.0)), _("privacy risk K; everything shown would be 100%")),
        (
            expected(seen.get("reidentifications", 0.0)),
            ngettext(
                "record that one expects to be re-identifiable, of %(records)s",
                "records that one expects to be re-identifiable, of %(records)s",
                2,
            )
            % {"records": count(content["linked"]["records"])},
        ),
    ]


def _share(some: int, whole: int) -> str:
    return percent(some / whole) if whole else "–"


def _limit(limit: int | None) -> str:
    return f"{write_percent(limit)}%" if limit is not None else ""


def _bands(found: Content | None) -> list[tuple[str, str, Any]]:
    if found is None:
        return []
    return [
        ("linked", count(found["linked"]), _("linked automatically")),
        ("people", count(found["for_people"]), _("for people")),
        ("", count(found["settled_by_links"]), _("settled by automatic links")),
        ("", count(found["not_linked"]), _("not linked")),
    ]


def entries_since(content: Content, entries: int) -> int:
    return max(entries - int(content["ledger"]["entries"]), 0)
