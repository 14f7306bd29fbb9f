"""Decisions and what came of them, as reports write it: forecast, agreement, quality of links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.web.page.figures import coefficient, count, expected, pairs, percent, whole_percent
from mindfirl.web.report.exposure import Content

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
    """How good the links are, as ranges."""

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
