"""Pairs as their reviewer sees them: runs of signs, tags for the marks, prices in words.

Nothing is drawn here but what a shown pair holds, and that is what is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.display.alignment import Mark
from mindfirl.core.display.cells import LEGEND, SEPARATOR, Sign
from mindfirl.core.review.decisions import CANNOT_TELL, REASONS, VERDICTS, Decision
from mindfirl.core.review.shortcuts import USUAL
from mindfirl.core.review.shown_pair import Meters, Offer, ShownCell, ShownPair
from mindfirl.core.risk.kapr import Step
from mindfirl.web.page.figures import along, count, percent

_TONES: Final = {
    Mark.SAME: "plain",
    Mark.SUBSTITUTED: "changed",
    Mark.DIFFERENT: "changed",
    Mark.GAP: "added",
    Mark.TRANSPOSED: "moved",
    Mark.EXCHANGED: "moved",
    Mark.SWAPPED: "moved",
}
_TAGS: Final = {
    "identical": ("same", gettext_lazy("same")),
    "different": ("changed", gettext_lazy("different")),
    "swapped": ("moved", gettext_lazy("swapped")),
    "substitution": ("changed", gettext_lazy("changed")),
    "gap": ("added", gettext_lazy("added")),
    "transposition": ("moved", gettext_lazy("transposed")),
    "exchange": ("moved", gettext_lazy("day, month")),
    "missing": ("", gettext_lazy("missing")),
}
"""The tone and the short word of every mark; its icon is in the legend."""

_COUNTED: Final = {"substitution": Mark.SUBSTITUTED, "gap": Mark.GAP}
_SIDES: Final = (gettext_lazy("different"), gettext_lazy("the same"))
_NEARLY: Final = Fraction(9, 10)
"""So much is spent when it is said what is still affordable."""

_WHOLE: Final = {"partial": "open differences", "full": "open everything"}
_VERDICTS: Final = {
    "surely different": gettext_lazy("surely different"),
    "probably different": gettext_lazy("probably different"),
    "perhaps different": gettext_lazy("perhaps different"),
    "perhaps the same": gettext_lazy("perhaps the same"),
    "probably the same": gettext_lazy("probably the same"),
    "surely the same": gettext_lazy("surely the same"),
    "cannot tell": gettext_lazy("cannot tell"),
}
_SURE: Final = {
    "surely": gettext_lazy("surely"),
    "probably": gettext_lazy("probably"),
    "perhaps": gettext_lazy("perhaps"),
}
_REASONS: Final = {
    "twins": gettext_lazy("twins"),
    "needs expert": gettext_lazy("needs an expert"),
    "bad data": gettext_lazy("bad data"),
}


def drawn_pair(
    pair: ShownPair, *, decision: Decision | None, comment: str, keys: Mapping[str, str]
) -> dict[str, Any]:
    """Return what the template of a pair needs."""
    said = drawn_saying(pair.token, decision=decision, comment=comment, keys=keys)
    return {**drawn_cells(pair, keys=keys), **said}


def drawn_cells(pair: ShownPair, *, keys: Mapping[str, str]) -> dict[str, Any]:
    """Return what the template needs to draw what is open of a pair, and what could be."""
    swapped = [cell.attribute for cell in pair.cells if "swapped" in cell.marks]
    cells = [
        _cell(cell, place=place, swapped=swapped) | {"suggested": _suggested(cell, pair.hint)}
        for place, cell in enumerate(pair.cells, start=1)
    ]
    return {
        "token": pair.token,
        "number": pair.number,
        "state": pair.state,
        "cells": cells,
        "width": len(cells) + 1,
        "steps": [_row_step(step, keys) for step in pair.steps if step.takes is not None],
        "advice": _advice(pair),
        "unsuggested": pair.hint is None,
    }


def drawn_saying(
    token: str, *, decision: Decision | None, comment: str, keys: Mapping[str, str]
) -> dict[str, Any]:
    """Return what the template needs to draw what was said of a pair, and what can be."""
    return {
        **drawn_said(token, decision=decision, comment=comment),
        "scale": _scale(decision, keys),
        "reasons": _reasons(decision, keys),
    }


def drawn_said(token: str, *, decision: Decision | None, comment: str) -> dict[str, Any]:
    """Return what the template needs to draw what was said of a pair."""
    return {
        "token": token,
        "decided": decision is not None,
        "decision": _value(decision) if decision else "",
        "said": decision_words(decision) if decision else "",
        "comment": {"said": comment, "typed": comment},
    }


def drawn_meters(meters: Meters) -> dict[str, str]:
    """Return what is spent and shown, in words and as widths of meters."""
    shown = meters.shown / meters.characters if meters.characters else 0.0
    return {
        "spent": percent(float(meters.spent)),
        "spent_width": along(float(meters.spent)),
        "spent_share": _share(meters.spent),
        "shown": percent(shown),
        "shown_width": along(shown),
        "characters": count(meters.characters),
    }


def what_is_left(meters: Meters, pairs: Iterable[Mapping[str, Any]]) -> str:
    """Say what the rest of the budget is enough for on a page, where that is not much."""
    ahead = [cell["next"]["affordable"] for pair in pairs for cell in pair["cells"] if cell["next"]]
    enough = sum(ahead)
    if not ahead or (enough and meters.spent <= _NEARLY):
        return ""
    words = left_words()["some" if enough else "none"]
    return words.replace("{n}", count(enough)).replace("{m}", count(len(ahead)))


def left_words() -> dict[str, str]:
    """Return the words for what is left, with places for two counts."""
    return {
        "some": _("Left: enough for {n} of the {m} cells on this page."),
        "none": _("Left: not enough for any of the {m} cells on this page."),
    }


def named_keys(keys: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of actions by names that a template can hold."""
    return {action.replace(" ", "_"): key for action, key in keys.items()}


def decision_words(decision: Decision) -> str:
    """Say a decision in words."""
    words = str(_VERDICTS[decision.verdict])
    return f"{words}: {_REASONS[decision.reason]}" if decision.reason else words


def _value(decision: Decision) -> str:
    """Return what a form sends for a decision."""
    return f"{decision.verdict}:{decision.reason}" if decision.reason else decision.verdict


def legend() -> list[dict[str, Any]]:
    """List every mark with its icon, its tone and its words."""
    return [
        {"icon": icon, "tone": _TAGS[mark][0], "words": words}
        for mark, (icon, words) in LEGEND.items()
    ]


def still_open(pair: ShownPair) -> list[str]:
    """Name the attributes of which something can still be opened within the budget."""
    return [cell.attribute for cell in pair.cells if any(step.affordable for step in cell.steps)]


def suggested_at(pairs: Iterable[Mapping[str, Any]], focus: str) -> str:
    """Return where on a page the suggested cell of a pair is; the pair itself if it has none."""
    cells = (cell for pair in pairs if pair["token"] == focus for cell in pair["cells"])
    place = next((cell["place"] for cell in cells if cell["suggested"]), 0)
    return f"cell-{focus}-{place}" if place else f"pair-{focus}"


def takes_words(takes: Fraction) -> tuple[str, str]:
    """Say what an opening takes of the budget, in words and in short."""
    if takes > 1:
        return _("takes more than all of your budget"), ">100%"
    share = percent(float(takes))
    return _("takes %(share)s of your budget") % {"share": share}, share


def _cell(cell: ShownCell, *, place: int, swapped: Sequence[str]) -> dict[str, Any]:
    tags = [_tag(mark, cell, swapped) for mark in cell.marks if mark != "missing" or _parts(cell)]
    steps = [_step(step, cell, swapped) for step in cell.steps if step.takes is not None]
    refused = len(cell.steps) > len(steps)
    return {
        "place": place,
        "attribute": cell.attribute,
        "rows": [_row(row) for row in cell.rows],
        "tags": tags + _bands(cell.frequencies),
        "next": steps[0] if steps else None,
        "last": steps[-1] if len(steps) > 1 else None,
        "refused": refused,
        "spoken": _spoken(cell, tags),
    }


def _suggested(cell: ShownCell, hint: Step | None) -> str:
    """Say that a cell is to be opened next, and how far."""
    if hint is None or hint[0] != cell.attribute:
        return ""
    nearest = next((step.level for step in cell.steps if step.takes is not None), hint[1])
    return _("Suggested next.") if hint[1] == nearest else _("Suggested next, all of it.")


def _advice(pair: ShownPair) -> str:
    """Say what to open next, or that nothing more is worth it where more could be opened."""
    if pair.hint:
        return _("Suggested next: %(name)s.") % {"name": pair.hint[0]}
    return _("Nothing more is worth its price.") if pair.advised and still_open(pair) else ""


def _row(row: Sequence[Sign]) -> list[dict[str, str]]:
    """Put signs that look alike together; a row without any is of a missing value."""
    return [
        {"tone": tone, "text": "".join(sign.text for sign in signs)}
        for tone, signs in groupby(row, key=_tone)
    ]


def _tone(sign: Sign) -> str:
    return "hidden" if not sign.shown and sign.mark is Mark.SAME else _TONES[sign.mark]


def _tag(mark: str, cell: ShownCell, swapped: Sequence[str]) -> dict[str, str]:
    """Return the tag of a mark: its icon, its word, and how often it occurs."""
    tone, words = _TAGS[mark]
    text = str(words)
    if mark == "swapped" and len(swapped) == 2:  # noqa: PLR2004  # one group of two
        text = f"{swapped[0]} ⇄ {swapped[1]}"
        return {"tone": tone, "icon": "", "text": text, "words": LEGEND[mark][1]}
    if mark in _COUNTED:
        signs = [sum(sign.mark is _COUNTED[mark] for sign in row) for row in cell.rows]
        number = max(signs) if mark == "substitution" else sum(signs)
        text = f"{number} {text}"
    return {"tone": tone, "icon": LEGEND[mark][0], "text": text, "words": LEGEND[mark][1]}


def _parts(cell: ShownCell) -> bool:
    """Say whether a cell lacks parts of a date, where a row would not say so itself."""
    return all(cell.rows)


def _bands(frequencies: tuple[str, str]) -> list[dict[str, str]]:
    """Return how common the two values are, where the project shows it."""
    if not any(frequencies):
        return []
    text = " / ".join(band or "–" for band in dict.fromkeys(frequencies))
    words = _("how common: %(bands)s") % {"bands": text}
    return [{"tone": "", "icon": "", "text": text, "words": words}]


def _step(step: Offer, cell: ShownCell, swapped: Sequence[str]) -> dict[str, Any]:
    name = cell.attribute
    if "swapped" in cell.marks and len(swapped) == 2:  # noqa: PLR2004  # they open together
        name = _("%(one)s and %(other)s") % {"one": swapped[0], "other": swapped[1]}
    words = (
        _("Open all of %(name)s") if step.level == "full" else _("Open what differs in %(name)s")
    )
    return {"value": str(step.step), **_priced(step, words % {"name": name})}


def _row_step(step: Offer, keys: Mapping[str, str]) -> dict[str, Any]:
    words = _("Open everything") if step.level == "full" else _("Open all differences")
    key = keys[_WHOLE[step.level]]
    return {"value": step.level, "label": words, "key": key, **_priced(step, words)}


def _priced(step: Offer, words: str) -> dict[str, Any]:
    assert step.takes is not None
    takes, short = takes_words(step.takes)
    return {
        "says": f"{words}: {takes}",
        "short": short,
        "share": _share(step.takes),
        "affordable": step.affordable,
    }


def _share(share: Fraction) -> str:
    """Write a share for the script that draws it ahead on the meter."""
    return f"{float(min(share, Fraction(2))):.9f}"


def _spoken(cell: ShownCell, tags: Iterable[dict[str, str]]) -> str:
    """Say in words what the signs of a cell show."""
    rows = [_spoken_row(row) for row in cell.rows]
    words = [cell.attribute, *(tag["text"] for tag in tags)]
    parts = [", ".join(words), _("first record: %s") % rows[0], _("second record: %s") % rows[1]]
    return "; ".join(parts)


def _spoken_row(row: Sequence[Sign]) -> str:
    signs = [sign for sign in row if sign.shown or sign.text != SEPARATOR]
    if not signs:
        return _("missing")
    return ", ".join(
        "".join(each.text for each in run) if shown else _spoken_run(len(run), same=same)
        for (shown, same), found in groupby(signs, lambda each: (each.shown, not each.mark))
        for run in [list(found)]
    )


def _spoken_run(number: int, *, same: bool) -> str:
    words = (
        ngettext("%d hidden", "%d hidden", number)
        if same
        else ngettext("%d differing, hidden", "%d differing, hidden", number)
    )
    return words % number


def _scale(decision: Decision | None, keys: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the six steps in their two halves."""
    steps = [
        {
            "id": USUAL[verdict],
            "key": keys[verdict],
            "value": verdict,
            "label": _SURE[verdict.partition(" ")[0]],
            "words": _VERDICTS[verdict],
            "chosen": decision is not None and decision.verdict == verdict,
        }
        for verdict in VERDICTS[:-1]
    ]
    half = len(steps) // 2
    return [
        {"side": side, "steps": part}
        for side, part in zip(_SIDES, (steps[:half], steps[half:]), strict=True)
    ]


def _reasons(decision: Decision | None, keys: Mapping[str, str]) -> dict[str, Any]:
    """Return what can be said by somebody who cannot tell."""
    return {
        "chosen": decision is not None and decision.verdict == CANNOT_TELL,
        "each": [
            {
                "id": USUAL[reason],
                "key": keys[reason],
                "value": f"{CANNOT_TELL}:{reason}",
                "label": _REASONS[reason],
                "chosen": decision is not None and decision.reason == reason,
            }
            for reason in REASONS
        ],
    }
