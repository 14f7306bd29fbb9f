"""The errors that a linkage is expected to have, in the same words on every page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mindfirl.store.models import Project
from mindfirl.web.page.figures import count, whole_percent
from mindfirl.workspace.outcomes.linkage_errors import describe_errors


@dataclass(frozen=True, slots=True)
class ErrorsInWords:
    """Rows of a name, a range and what it means; what they follow from; an alarm, if any.

    ``relatives`` says how many links look like relatives, if the weights expect fewer.
    """

    rows: list[tuple[str, str, str]]
    source: str
    alarm: str
    relatives: str


def expected_errors(project: Project) -> ErrorsInWords:
    return errors_in_words(describe_errors(project))


def errors_in_words(found: Mapping[str, Any]) -> ErrorsInWords:
    of_links = ngettext("of %(links)s link", "of %(links)s links", found["links"])
    alarm = _(
        "The sample from outside the band shows more errors than the weights predict. Raise the "
        "thresholds, review more pairs, or score the pairs again."
    )
    return ErrorsInWords(
        [
            (
                _("False links"),
                error_range(found["false_links"]),
                of_links % {"links": count(found["links"])},
            ),
            (_("Missed links"), error_range(found["missed_links"]), _("compared, but not linked")),
            (
                _("Links never compared"),
                error_range(found["never_compared"]),
                _never_compared(found),
            ),
        ],
        _("Based on the model’s match weights.")
        if found["by"] == "model"
        else _("Based on the weights in your file; only as reliable as those weights."),
        alarm if found["contradicted"] else "",
        _relatives(found["look_alikes"]),
    )


def _never_compared(found: Mapping[str, Any]) -> str:
    """Say what share of all true pairs no rule compares."""
    if not found["never_compared"] or not found["missed_links"]:
        return _("not covered by any rule; there may be more")
    false, missed, never = (
        sum(found[name]) / 2 for name in ("false_links", "missed_links", "never_compared")
    )
    true_pairs = max(found["links"] - false, 0) + missed + never
    share = whole_percent(never / true_pairs if true_pairs else 0.0)
    words = _("(%(share)s of true pairs), not covered by any rule; there may be more")
    return words % {"share": _("about %(share)s") % {"share": share} if share[0] != "<" else share}


def _relatives(links: int) -> str:
    if not links:
        return ""
    words = _(
        "About %(links)s links may join relatives: several personal attributes, such as first "
        "name and birth date, differ in them together more often than by chance. The weights "
        "expect fewer errors. Review some of these pairs before you link."
    )
    return words % {"links": count(links)}


def error_range(ends: list[int] | None) -> str:
    """Write how many errors there may be, as a range."""
    if not ends:
        return _("not known")
    low, high = map(count, ends)
    words = _("%(low)s to %(high)s") if ends[0] else _("at most %(high)s")
    return words % {"low": low, "high": high}


def in_one_line(found: ErrorsInWords) -> str:
    return "; ".join(f"{name}: {numbers}" for name, numbers, _meaning in found.rows)
