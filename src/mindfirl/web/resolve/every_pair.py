"""The table in which every pair is accounted for: what becomes of it, and the expected errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.stated_errors import StatedErrors
from mindfirl.web.page.figures import count
from mindfirl.workspace.outcomes.pair_accounts import PairAccount, PairAccounts, PairGroup

_WORDS: Final[dict[PairGroup, Any]] = {
    "automatic links": gettext_lazy("Clear links"),
    "settled by reviews": gettext_lazy("Settled by reviews"),
    "settled by adjudicators": gettext_lazy("Settled by adjudicators"),
    "known answers": gettext_lazy("Known answers from elsewhere"),
    "in conflict": gettext_lazy("Conflicts"),
    "changed by merging": gettext_lazy("Decided, but changed by merging"),
    "under review": gettext_lazy("Under review"),
    "undecided": gettext_lazy("Not reviewed, close calls"),
    "automatic non-links": gettext_lazy("Clear non-links"),
}
_ALWAYS: Final = ("automatic links", "undecided", "automatic non-links")
_TELLS: Final = 0.005
"""Where less than this share of all errors is expected, a row says nothing of them."""


@dataclass(frozen=True, slots=True)
class PairRow:
    group: PairGroup
    name: Any
    pairs: str
    becomes: str
    errors: str
    warns: bool = False


@dataclass(frozen=True, slots=True)
class EveryPair:
    rows: list[PairRow]
    total: PairRow
    linked_persons: str
    precision: str
    recall: str


def every_pair(found: PairAccounts, stated: StatedErrors, counts: Mapping[str, Any]) -> EveryPair:
    accounts = [each for each in found.accounts if each.pairs or each.group in _ALWAYS]
    false_links, missed = stated.false_links.to_json(), stated.missed_to_json or [0, 0]
    all_false = sum(each.false_links for each in accounts)
    all_missed = sum(each.missed for each in accounts)
    rows = [
        PairRow(
            group=each.group,
            name=_WORDS[each.group],
            pairs=count(each.pairs),
            becomes=_becomes(each, counts),
            errors=_errors(
                _part(false_links, each.false_links, all_false),
                _part(missed, each.missed, all_missed),
            ),
            warns=each.group in ("in conflict", "changed by merging"),
        )
        for each in accounts
    ]
    linked, apart = (sum(getattr(each, of) for each in accounts) for of in ("linked", "not_linked"))
    return EveryPair(
        rows=rows,
        total=PairRow(
            group="automatic links",
            name=_("All compared pairs"),
            pairs=count(linked + apart),
            becomes=_split(linked, apart),
            errors=_errors(false_links, missed),
        ),
        linked_persons=count(found.linked_persons),
        precision=_percentages(*_precision(stated)),
        recall=_percentages(*_recall(stated)) if stated.tell else _("not known"),
    )


def _becomes(account: PairAccount, counts: Mapping[str, Any]) -> str:
    split = _split(account.linked, account.not_linked)
    if account.group == "in conflict":
        held = sum(counts["with_adjudicators"].values())
        words = _("waiting for an adjudicator") if held else _("to assign to an adjudicator")
        return _("%(what)s; until then %(split)s") % {"what": words, "split": split}
    if account.group == "under review":
        return _("until submitted: %(split)s") % {"split": split}
    if account.group == "undecided" and account.pairs:
        by_weight = counts["rule"] == "evidence"
        words = _("by weight: %(split)s") if by_weight else _("without a decision: %(split)s")
        return words % {"split": split}
    if account.group == "changed by merging":
        words = _("decided different but linked: %(linked)s; decided same but not: %(apart)s")
        return words % {"linked": count(account.linked), "apart": count(account.not_linked)}
    return split


def _split(linked: int, apart: int) -> str:
    if not apart:
        return _("linked") if linked else "–"
    if not linked:
        return _("not linked")
    words = _("%(linked)s linked, %(apart)s not")
    return words % {"linked": count(linked), "apart": count(apart)}


def _part(ends: list[int], some: float, whole: float) -> list[int]:
    """Return the part of a range that falls to some pairs, in proportion to what weights expect."""
    share = some / whole if whole else 0.0
    if share < _TELLS:
        return [0, 0]
    return [math.floor(ends[0] * share), math.ceil(ends[1] * share)]


def _errors(false_links: list[int], missed: list[int]) -> str:
    said = [
        words % {"range": _range(ends)}
        for words, ends in ((_("%(range)s false"), false_links), (_("%(range)s missed"), missed))
        if ends[1]
    ]
    return ", ".join(said) or "–"


def _range(ends: list[int]) -> str:
    low, high = map(count, ends)
    return low if low == high else f"{low}–{high}"


def _precision(stated: StatedErrors) -> tuple[float, float]:
    links, (low, high) = stated.links, stated.false_links.to_json()
    return (1 - min(high / links, 1.0), 1 - min(low / links, 1.0)) if links else (1.0, 1.0)


def _recall(stated: StatedErrors) -> tuple[float, float]:
    lost = stated.never_compared.to_json() if stated.never_compared else [0, 0]
    false_links, missed = stated.false_links.to_json(), stated.missed.to_json()

    def share(false_number: int, missed_number: int) -> float:
        right = max(stated.links - false_number, 0)
        return right / (right + missed_number) if right + missed_number else 1.0

    return (
        share(false_links[1], missed[1] + lost[1]),
        share(false_links[0], missed[0] + lost[0]),
    )


def _percentages(low: float, high: float) -> str:
    ends = [number_format(math.floor(each * 1000) / 10, 1) for each in (low, high)]
    return _("%(low)s to %(high)s%%") % {"low": ends[0], "high": ends[1]}
