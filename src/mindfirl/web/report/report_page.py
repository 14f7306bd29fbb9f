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
from mindfirl.web.page.expected_errors import ErrorsInWords, errors_in_words
from mindfirl.web.page.figures import coefficient, count, expected, pairs, percent, whole_percent
from mindfirl.web.page.group_rows import GroupRows, linkage_group_rows
from mindfirl.web.page.time_chart import TimeChart, time_chart

Content = Mapping[str, Any]
"""A report as it is kept, or a part of it."""

_FREQUENCIES: Final = {
    "unique": gettext_lazy("held by no other record of their database"),
    "rare": gettext_lazy("held by 2 to 5 records of their database"),
    "common": gettext_lazy("held by 6 to 100 records of their database"),
    "very common": gettext_lazy("held by more than 100 records of their database"),
}
_OPENED: Final = {
    "nothing": gettext_lazy("All reviewers, nothing opened"),
    "some": gettext_lazy("All reviewers, some opened"),
    "everything": gettext_lazy("All reviewers, everything opened by all"),
}
_SOURCES: Final = {
    "truth": gettext_lazy("trained on %(labelled)s pairs with answers from a truth file"),
    "reviews": gettext_lazy("trained on %(labelled)s pairs that were reviewed twice"),
    "made up": gettext_lazy("trained on synthetic people"),
}
_AGREEMENT: Final = {
    "observed": gettext_lazy("Observed agreement"),
    "fleiss": gettext_lazy("Fleiss’ κ"),
    "alpha": gettext_lazy("Krippendorff’s α"),
    "alpha_of_steps": gettext_lazy("Krippendorff’s α of the six steps"),
}
_QUALITY: Final = {
    "automatic_precision": gettext_lazy("Automatic links that are right"),
    "precision": gettext_lazy("All links that are right"),
    "recall": gettext_lazy("True links among the found pairs that were linked"),
    "missed": gettext_lazy("Missed links"),
}
_RULES: Final = {
    "evidence": gettext_lazy("votes add to the match weight as evidence"),
    "unanimous": gettext_lazy("all reviewers must agree"),
    "majority": gettext_lazy("more than half of the reviewers decide"),
    "confidence": gettext_lazy("the more confident side decides"),
}
_REFUSALS: Final = {
    "kappa": gettext_lazy("too few records would have been left"),
    "budget": gettext_lazy("the budget was too small"),
    "together": gettext_lazy("the limit for all together was reached"),
}


def attacks(seen: Content | None) -> list[tuple[str, str, str, str]]:
    """List what three attackers could hope for, by the published and by the strict rules."""
    if seen is None:
        return []
    words = {
        "prosecutor": (
            _("Prosecutor"),
            _("knows a person who is in the records: the highest chance to find that person"),
        ),
        "marketer": (
            _("Marketer"),
            _("tries to identify everyone: the average chance over all rows"),
        ),
        "unique_rows": (_("Singled out"), _("rows that match only one record")),
    }
    return [
        (who, what, percent(seen["attack"][name]), percent(seen["strict_attack"][name]))
        for name, (who, what) in words.items()
    ]


def _observed(found: Content) -> tuple[str, str]:
    return count(found["units"]), _estimate(found, percents=True)


def _group_rows(found: Content | None) -> list[tuple[str, Content, float]]:
    """List the groups by name, with what is kept of each, and its risk beside the highest.

    Where all records are in one group, there is nothing to compare.
    """
    if found is None or [each["name"] for each in found["groups"]] == [None]:
        return []
    most = max((each["risk"] for each in found["groups"]), default=0.0) or 1.0
    return [
        (_group_name(each["name"], found["by"]), each, each["risk"] / most)
        for each in found["groups"]
    ]


def _group_name(name: str | None, by: str) -> str:
    if name is None:
        return _("all others combined")
    if not name:
        return _("no value")
    return str(_FREQUENCIES[name]) if by == "frequency" else name


def _estimate(found: Content, *, percents: bool = False) -> str:
    """Write a figure with its interval, or why there is none."""
    if found.get("lack") == "too few units":
        return _("too few pairs to tell")
    if found["estimate"] is None:
        return _("not defined: all answers are the same")
    write = whole_percent if percents else coefficient
    shown = write(found["estimate"])
    if found["low"] is None:
        return shown
    limits = {"low": write(found["low"]), "high": write(found["high"])}
    return f"{shown} ({_('%(low)s to %(high)s') % limits})"


def _range(found: Content, key: str) -> str:
    write = expected if key == "missed" else percent
    low, high = write(found["low"]), write(found["high"])
    return low if low == high else _("%(low)s to %(high)s") % {"low": low, "high": high}


@dataclass(frozen=True, slots=True)
class ReportPart:
    report: Content
    made: datetime
    figures: list[tuple[str, str]]
    bands: list[tuple[str, str, str]]
    rules: str
    kappas: str
    advised: bool
    checked: bool
    budget_limit: str
    forecast_source: str
    attacks: list[tuple[str, str, str, str]]
    shown: TimeChart | None
    refused: list[tuple[str, str]]
    agreed_pairs: str
    agreement_known: bool
    agreement_observed: str
    agreement: list[tuple[str, str]]
    agreement_of_two: list[tuple[str, str, str, str]]
    agreement_by_opened: list[tuple[str, str, str, str]]
    quality: list[tuple[str, str]]
    expected_errors: ErrorsInWords | None
    sampled: dict[str, str]
    groups: list[tuple[str, Content, float]]
    linkage_groups: GroupRows


def report_part(content: Content) -> ReportPart:
    terms, together, agreement = (content[each] for each in ("terms", "together", "agreement"))
    limit, quality = terms["project_limit"], content["linked"]["quality"]
    # Older reports have neither.
    planned, errors = content.get("planned"), content["linked"].get("errors")
    return ReportPart(
        report=content,
        made=datetime.fromisoformat(content["made"]),
        figures=_figures(content),
        bands=_bands(content["linked"]["pairs"]),
        rules=", ".join(str(_RULES[rule]) for rule in terms["rule"]),
        kappas=", ".join(map(str, terms["kappa"])),
        advised=True in terms.get("hints", []),
        checked=any(terms.get("gold_pairs", [])),
        budget_limit="" if limit is None else f"{write_percent(limit)}%",
        forecast_source=str(_SOURCES[planned["source"]]) % {"labelled": count(planned["labelled"])}
        if planned
        else "",
        attacks=attacks(together["exposure"]),
        shown=time_chart(
            {
                datetime.fromisoformat(each["from"]): each["characters"]
                for each in content["over_time"]["periods"]
                if each["characters"]
            }
        ),
        refused=[
            (str(_REFUSALS[reason]), count(times))
            for reason, times in content["refused"].items()
            if times
        ],
        agreed_pairs=pairs(agreement["pairs"]),
        agreement_known=agreement["observed"].get("lack") != "too few units",
        agreement_observed=_estimate(agreement["observed"], percents=True),
        agreement=[
            (str(name), _estimate(agreement[key], percents=key == "observed"))
            for key, name in _AGREEMENT.items()
        ],
        agreement_of_two=[
            (
                _("Reviewers %(one)d and %(other)d")
                % {"one": each["people"][0], "other": each["people"][1]},
                *_observed(each["observed"]),
                _estimate(each["cohen"]),
            )
            for each in agreement["of_two"]
        ],
        agreement_by_opened=[
            (str(_OPENED[each["opened"]]), *_observed(each["observed"]), _estimate(each["alpha"]))
            for each in agreement["by_opened"]
        ],
        quality=[
            (str(name), _range(quality[key], key))
            for key, name in (_QUALITY.items() if quality else ())
            if quality[key]["low"] is not None
        ],
        expected_errors=errors_in_words(errors) if errors else None,
        sampled={
            name: pairs(quality["samples"][name]["sampled"])
            for name in (("links", "non_links") if quality else ())
        },
        groups=_group_rows(content["groups"]),
        linkage_groups=linkage_group_rows(content.get("linkage_groups")),  # older reports have none
    )


def _figures(content: Content) -> list[tuple[str, str]]:
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
                "record expected to be re-identifiable, of %(records)s",
                "records expected to be re-identifiable, of %(records)s",
                2,
            )
            % {"records": count(content["linked"]["records"])},
        ),
    ]


def _share(some: int, whole: int) -> str:
    return percent(some / whole) if whole else "–"


def _bands(found: Content | None) -> list[tuple[str, str, str]]:
    if found is None:
        return []
    return [
        ("linked", count(found["linked"]), _("linked automatically")),
        ("people", count(found["for_people"]), _("for people")),
        ("", count(found["settled_by_links"]), _("settled by automatic links")),
        ("", count(found["not_linked"]), _("not linked")),
    ]
