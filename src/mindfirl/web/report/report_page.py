"""Reports in words and figures, as a page and a printed sheet draw them.

Only what the kept report says comes in, and everything drawn is an attribute of SVG or a class. So
an old report is drawn as it was, whatever happened since.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.risk.percent import write_percent
from mindfirl.web.dispatch.agreement_page import figure, share
from mindfirl.web.dispatch.progress_page import time_chart
from mindfirl.web.page.figures import along, count, pairs, percent
from mindfirl.web.plan.forecast_page import share as accuracy

Content = Mapping[str, Any]

_LARGE: Final = 100
"""From here on decimals tell nothing."""
_RULES: Final = {
    "unanimous": gettext_lazy("all reviewers must agree"),
    "majority": gettext_lazy("more than half of the reviewers decide"),
    "confidence": gettext_lazy("the more confident side decides"),
}
_KINDS: Final = {
    "review": gettext_lazy("reviewer"),
    "adjudication": gettext_lazy("adjudicator"),
}
_REFUSALS: Final = {
    "kappa": gettext_lazy("too few records would have been left"),
    "budget": gettext_lazy("the budget was too small"),
    "together": gettext_lazy("the limit for all together was reached"),
}
_FREQUENCIES: Final = {
    "unique": gettext_lazy("held by nobody else"),
    "rare": gettext_lazy("held by 2 to 5 records"),
    "common": gettext_lazy("held by 6 to 100 records"),
    "very common": gettext_lazy("held by more than 100 records"),
}
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


def drawn(content: Content) -> dict[str, Any]:
    """Describe a report for a template."""
    return {
        "report": content,
        "made": datetime.fromisoformat(content["made"]),
        "figures": _figures(content),
        "bands": _bands(content["linked"]["pairs"]),
        "rules": ", ".join(str(_RULES[rule]) for rule in content["terms"]["rule"]),
        "kappas": ", ".join(map(str, content["terms"]["kappa"])),
        "advised": True in content["terms"].get("hints", []),
        "budget_limit": _limit(content["terms"]["project_limit"]),
        "people": [_person(each) for each in content["people"]],
        "together": _person(content["together"]) if content["people"] else None,
        "planned": _planned(content.get("planned"), content["agreement"]),
        "attacks": _attacks(content["together"]["exposure"]),
        "attributes": [_attribute(each) for each in content["attributes"]],
        "shown": time_chart(
            {
                datetime.fromisoformat(each["from"]): each["characters"]
                for each in content["over_time"]["periods"]
                if each["characters"]
            }
        ),
        "refused": [
            (_REFUSALS[reason], count(times))
            for reason, times in content["refused"].items()
            if times
        ],
        "agreement": _agreement(content["agreement"]),
        "quality": _quality(content["linked"]["quality"]),
        "groups": _groups(content["groups"]),
    }


def _figures(content: Content) -> list[tuple[str, Any]]:
    """Answer the question of the page in a few figures, each with what it is."""
    decided = sum(each["decided"] for each in content["decisions"].values())
    unopened = sum(each["without_opening"] for each in content["decisions"].values())
    characters = sum(each["of"] for each in content["attributes"])
    all_together = content["together"]
    seen = all_together["exposure"] or {}
    return [
        (_part(unopened, decided), _("of all decisions were made without opening anything")),
        (
            _part(all_together["characters"], characters),
            _("of the characters in the reviewed pairs were shown"),
        ),
        (percent(seen.get("published", 0.0)), _("privacy risk K; everything shown would be 100%")),
        (
            _number(seen.get("reidentifications", 0.0)),
            ngettext(
                "record that one expects to be re-identifiable, of %(records)s",
                "records that one expects to be re-identifiable, of %(records)s",
                2,
            )
            % {"records": count(content["linked"]["records"])},
        ),
    ]


def _part(some: int, whole: int) -> str:
    return percent(some / whole) if whole else "–"


def _number(number: float) -> str:
    """Write an expected number with one decimal; where it is large, or whole, with none."""
    rounded = round(float(number), 1)
    if rounded >= _LARGE or rounded.is_integer():
        return count(round(number))
    return str(number_format(rounded, 1))


def _limit(limit: int | None) -> str:
    return f"{write_percent(limit)}%" if limit is not None else ""


def _bands(found: Content | None) -> list[tuple[str, str, Any]]:
    """List the bands of pairs, with a class for each."""
    if found is None:
        return []
    return [
        ("linked", count(found["linked"]), _("linked automatically")),
        ("people", count(found["for_people"]), _("for people")),
        ("", count(found["settled_by_links"]), _("settled by automatic links")),
        ("", count(found["not_linked"]), _("not linked")),
    ]


def _person(found: Content) -> dict[str, Any]:
    """Describe what one person has seen, or all together."""
    seen = found["exposure"] or {}
    return {
        "number": found.get("number", 0),
        "kinds": ", ".join(str(_KINDS[kind]) for kind in found.get("kinds", ())),
        "pairs": count(found["pairs"]),
        "decided": count(found["decided"]) if "decided" in found else "",
        "budget": percent(found["budget"]),
        "charged": percent(found["charged"]),
        "spent_width": along(found["charged"] / found["budget"] if found["budget"] else 0.0),
        **{name: percent(seen.get(name, 0.0)) for name in ("published", "strict", "union")},
        "records": count(seen.get("records", 0)),
        "reidentifications": _number(seen.get("reidentifications", 0.0)),
        "characters": count(found["characters"]),
    }


def _planned(found: Content | None, agreement: Content) -> dict[str, Any] | None:
    """Hold what was forecast against what became of it; older reports tell nothing of that."""
    if found is None:
        return None
    return {
        "made": found["made"],
        "promises": found["promises"],
        "changed": found["changed_since"],
        "labelled": count(found["labelled"]),
        "source": _SOURCES[found["source"]] % {"labelled": count(found["labelled"])},
        "rows": [_held(each) for each in found["budgets"]],
        "everything": _expectation(found["everything"]),
        "agreement": _estimate(agreement["observed"], percents=True),
    }


def _held(found: Content) -> dict[str, str]:
    actual = found["actual"]
    return {
        **_expectation(found["expected"]),
        "budget": percent(found["budget"]),
        "pairs": count(actual["pairs"]),
        "spent": percent(actual["K"]),
        "shown": _number(actual["characters"]),
    }


def _expectation(point: Content) -> dict[str, str]:
    return {
        "K": percent(point["K"]),
        "characters": _number(point["characters"]),
        "people": accuracy(point["people"]),
        "machine": accuracy(point["machine"]),
    }


def _attacks(seen: Content | None) -> list[tuple[Any, Any, str, str]]:
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


def _attribute(found: Content) -> dict[str, Any]:
    """Draw how much of an attribute was shown, at which level."""
    whole = found["of"] or 1
    partial, full = found["characters"]["partial"], found["characters"]["full"]
    return {
        "name": found["name"],
        "cells": [count(found["cells"][level]) for level in ("masked", "partial", "full")],
        "partial": count(partial),
        "full": count(full),
        "of": count(found["of"]),
        "share": percent((partial + full) / whole),
        "partial_width": along(partial / whole),
        "full_width": along(full / whole),
    }


def _agreement(found: Content) -> dict[str, Any]:
    return {
        "pairs": pairs(found["pairs"]),
        "any": bool(found["pairs"]),
        "enough": found["observed"].get("lack") != "too few units",
        "cannot_tell": count(found["cannot_tell"]),
        "all": [
            (name, _estimate(found[key], percents=key == "observed"))
            for key, name in (
                ("observed", _("Observed agreement")),
                ("fleiss", _("Fleiss’ κ")),
                ("alpha", _("Krippendorff’s α")),
                ("alpha_of_steps", _("Krippendorff’s α of the six steps")),
            )
        ],
        "of_two": [
            (
                _("Reviewers %(one)d and %(other)d")
                % {"one": each["people"][0], "other": each["people"][1]},
                count(each["observed"]["units"]),
                _estimate(each["observed"], percents=True),
                _estimate(each["cohen"]),
            )
            for each in found["of_two"]
        ],
        "by_opened": [
            (
                _OPENED[each["opened"]],
                count(each["observed"]["units"]),
                _estimate(each["observed"], percents=True),
                _estimate(each["alpha"]),
            )
            for each in found["by_opened"]
        ],
    }


def _estimate(found: Content, *, percents: bool = False) -> str:
    """Write a figure with its interval, or why there is none."""
    if found.get("lack") == "too few units":
        return _("too few pairs to tell")
    if found["estimate"] is None:
        return _("not defined: all say the same")
    write = share if percents else figure
    shown = write(found["estimate"])
    if found["low"] is None:
        return shown
    limits = {"low": write(found["low"]), "high": write(found["high"])}
    return f"{shown} ({_('%(low)s to %(high)s') % limits})"


def _quality(found: Content | None) -> dict[str, Any] | None:
    """Describe how good the links are, as ranges."""
    if found is None:
        return None
    samples = found["samples"]
    return {
        "rows": [
            (name, _range(found[key], key))
            for key, name in _QUALITY.items()
            if found[key]["low"] is not None
        ],
        "links": pairs(samples["links"]["sampled"]),
        "non_links": pairs(samples["non_links"]["sampled"]),
        "cannot_tell": sum(each["cannot_tell"] for each in samples.values()),
    }


def _range(found: Content, key: str) -> str:
    """Write the lowest and the highest that samples allow."""
    write = _number if key == "missed" else percent
    low, high = write(found["low"]), write(found["high"])
    return low if low == high else _("%(low)s to %(high)s") % {"low": low, "high": high}


def _groups(found: Content | None) -> dict[str, Any] | None:
    """Draw what was shown of the records of each group."""
    if found is None:
        return None
    most = max((each["risk"] for each in found["groups"]), default=0.0)
    return {
        "attribute": found["attribute"],
        "by_value": found["by"] == "value",
        "least": found["least"],
        "rows": [_group(each, found["by"], most) for each in found["groups"]],
        "alike": [each["name"] for each in found["groups"]] == [None],
    }


def _group(found: Content, by: str, most: float) -> dict[str, Any]:
    return {
        "name": _group_name(found["name"], by),
        "persons": count(found["persons"]),
        "records": count(found["records"]),
        "shown": _part(found["shown"], found["records"]),
        "characters": _number(found["characters"]),
        "risk": percent(found["risk"]),
        "width": along(found["risk"] / most if most else 0.0),
    }


def _group_name(name: str | None, by: str) -> Any:  # noqa: ANN401  # a text, perhaps a lazy one
    if name is None:
        return _("all others, together")
    if not name:
        return _("without a value")
    return _FREQUENCIES[name] if by == "frequency" else name


def entries_since(content: Content, entries: int) -> int:
    """Count the entries that came into the ledger after a report."""
    return max(entries - int(content["ledger"]["entries"]), 0)
