"""Whether reviewers agree, in words and figures, as the page of a project draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.review.agreement import Agreement, OfTwo, Opened, Summary
from mindfirl.web.page.figures import count

ENOUGH: Final = 10
"""Of fewer pairs nothing can be told."""
_OPENED: Final[dict[Opened, Any]] = {
    "nothing": gettext_lazy("Nothing, by anybody"),
    "some": gettext_lazy("Some of it"),
    "everything": gettext_lazy("Everything, by all"),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure as it is written, with its interval; or in words why there is none."""

    figure: str
    interval: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of figures; none where its pairs are too few."""

    name: str
    pairs: str
    figures: tuple[Shown, ...]


def drawn(found: Summary, names: Mapping[str, str]) -> dict[str, Any]:
    """Describe whether the people of a project agree, who have these names."""
    return {
        "pairs": found.pairs,
        "enough": found.sides.observed.units >= ENOUGH,
        "words": _words(found),
        "cannot_tell": _cannot_tell(found.cannot_tell),
        "all": _all(found),
        "left_out": _left_out(found.sides.fleiss),
        "two": sorted((_of_two(each, names) for each in found.of_two), key=_by_name),
        "opened": [
            _row(str(_OPENED[key]), (each.observed, each.fleiss, each.alpha))
            for key, each in found.opened
        ],
    }


def _of_two(found: OfTwo, names: Mapping[str, str]) -> Row:
    one, other = sorted((names[found.first], names[found.second]), key=str.casefold)
    name = _("%(one)s and %(other)s") % {"one": one, "other": other}
    return _row(name, (found.observed, found.cohen, found.alpha))


def _by_name(row: Row) -> str:
    return row.name.casefold()


def _words(found: Summary) -> str:
    """Say how many pairs were decided by several people, and how often these agree."""
    pairs = ngettext(
        "%(pairs)s pair was decided by two people or more.",
        "%(pairs)s pairs were decided by two people or more.",
        found.pairs,
    ) % {"pairs": count(found.pairs)}
    return f"{pairs} {_agreeing(found)}"


def _agreeing(found: Summary) -> str:
    observed = found.sides.observed
    if observed.units >= ENOUGH and observed.estimate is not None:
        same = _("Of two answers to the same pair, %(share)s are the same.")
        return same % {"share": share(observed.estimate)}
    few = _("That is too few to tell whether they agree: figures stand here from %(enough)s on.")
    if observed.units < found.pairs:
        few = _(
            "On %(units)s of them two or more could tell. "
            "That is too few to tell whether they agree: figures stand here from %(enough)s on."
        )
    return few % {"units": count(observed.units), "enough": count(ENOUGH)}


def _cannot_tell(answers: int) -> str:
    if not answers:
        return ""
    return ngettext(
        "%(answers)s answer is “cannot tell”: left out, except in the column that counts it.",
        "%(answers)s answers are “cannot tell”: left out, except in the column that counts them.",
        answers,
    ) % {"answers": count(answers)}


def _all(found: Summary) -> list[tuple[str, tuple[Shown, ...]]]:
    """List the figures of all people together; in a second column with those who cannot tell."""
    sides, answers = found.sides, found.answers
    rows: list[tuple[str, Callable[[Agreement], Shown], tuple[Agreement, ...]]] = [
        (_("Observed agreement"), _as_share, (sides.observed, answers.observed)),
        (_("Fleiss’ κ"), _as_figure, (sides.fleiss, answers.fleiss)),
        (_("Krippendorff’s α"), _as_figure, (sides.alpha, answers.alpha)),
        (_("Krippendorff’s α of the six steps"), _as_figure, (found.steps,)),
    ]
    columns = 2 if found.cannot_tell else 1
    return [(name, tuple(map(write, those[:columns]))) for name, write, those in rows]


def _left_out(fleiss: Agreement) -> str:
    if not fleiss.left_out:
        return ""
    return ngettext(
        "Fleiss’ κ leaves out %(pairs)s pair that fewer or more people decided than most.",
        "Fleiss’ κ leaves out %(pairs)s pairs that fewer or more people decided than most.",
        fleiss.left_out,
    ) % {"pairs": count(fleiss.left_out)}


def _row(name: str, found: tuple[Agreement, Agreement, Agreement]) -> Row:
    observed, *beyond = found
    if observed.units < ENOUGH:
        return Row(name, count(observed.units), ())
    return Row(name, count(observed.units), (_as_share(observed), *map(_as_figure, beyond)))


def _as_share(found: Agreement) -> Shown:
    return _shown(found, share)


def _as_figure(found: Agreement) -> Shown:
    if found.units < ENOUGH:
        return Shown(_("too few pairs to tell"))
    return _shown(found, figure)


def _shown(found: Agreement, write: Callable[[float], str]) -> Shown:
    if found.estimate is None:
        return Shown(_("not defined: all say the same"))
    if found.low is None or found.high is None:
        return Shown(write(found.estimate), _("no interval"))
    limits = {"low": write(found.low), "high": write(found.high)}
    return Shown(write(found.estimate), _("%(low)s to %(high)s") % limits)


def share(number: float) -> str:
    """Write a share in whole percent; almost all of it is not all, almost nothing not nothing."""
    shown = f"{number:.0%}"
    if 0 < number < 1:
        return {"0%": "<1%", "100%": ">99%"}.get(shown, shown)
    return shown


def figure(number: float) -> str:
    """Write a figure of agreement with two decimals; almost 1 is not 1."""
    shown = f"{abs(number):.2f}"
    if shown == "1.00" and 0 < number < 1:
        return f">{number_format('0.99')}"
    return f"{'−' if number < 0 and float(shown) else ''}{number_format(shown)}"
