"""Reports in words and figures, as a page and a printed sheet draw them.

Only what the kept report says comes in, and everything drawn is an attribute of SVG or a class. So
an old report is drawn as it was, whatever happened since.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.risk.percent import write_percent
from mindfirl.web.page.figures import count, expected, percent
from mindfirl.web.page.time_chart import TimeChart, time_chart
from mindfirl.web.report.exposure import Content, GroupsSection, attacks, groups_section
from mindfirl.web.report.outcomes import (
    AgreementSection,
    PlannedSection,
    QualitySection,
    agreement_section,
    planned_section,
    quality_section,
)

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
    """Count the entries that came into the ledger after a report."""
    return max(entries - int(content["ledger"]["entries"]), 0)
