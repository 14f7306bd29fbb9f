"""Whether reviewers agree, in words and figures, as the page of a project draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.review.agreement import Agreement, OfTwo, Opened, Summary, summary
from mindfirl.store.queries.votes import names_of, votes_of
from mindfirl.web.http.access import Request
from mindfirl.web.page.figures import coefficient, count, whole_percent

ENOUGH: Final = 10
"""Of fewer pairs nothing can be told."""
_OPENED: Final[dict[Opened, Any]] = {
    "nothing": gettext_lazy("Nothing, by anybody"),
    "some": gettext_lazy("Some of it"),
    "everything": gettext_lazy("Everything, by all"),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as it is written, with its interval; or in words why there is none."""

    figure: str
    interval: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of figures; none where its pairs are too few."""

    name: str
    pairs: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class AgreementWords:
    """Whether the reviewers of a project agree: all together, two by two, by what was opened."""

    pairs: int
    enough: bool
    words: str
    cannot_tell: str
    all: list[tuple[str, tuple[Figure, ...]]]
    left_out: str
    two: list[Row]
    opened: list[Row]


@dataclass(frozen=True, slots=True)
class AgreementPart:
    agreement: AgreementWords


def agreement_part(request: Request) -> AgreementPart:
    found = summary(each.votes for each in votes_of(request.project))
    raters = {rater for each in found.of_two for rater in (each.first, each.second)}
    return AgreementPart(_agreement(found, names_of(raters)))


def _agreement(found: Summary, names: Mapping[str, str]) -> AgreementWords:
    return AgreementWords(
        pairs=found.pairs,
        enough=found.sides.observed.units >= ENOUGH,
        words=_words(found),
        cannot_tell=_cannot_tell(found.cannot_tell),
        all=_all(found),
        left_out=_left_out(found.sides.fleiss),
        two=sorted((_of_two(each, names) for each in found.of_two), key=_by_name),
        opened=[
            _row(str(_OPENED[key]), (each.observed, each.fleiss, each.alpha))
            for key, each in found.opened
        ],
    )


def _of_two(found: OfTwo, names: Mapping[str, str]) -> Row:
    one, other = sorted((names[found.first], names[found.second]), key=str.casefold)
    name = _("%(one)s and %(other)s") % {"one": one, "other": other}
    return _row(name, (found.observed, found.cohen, found.alpha))


def _by_name(row: Row) -> str:
    return row.name.casefold()


def _words(found: Summary) -> str:
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
        return same % {"share": whole_percent(observed.estimate)}
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


def _all(found: Summary) -> list[tuple[str, tuple[Figure, ...]]]:
    """List the figures of all people together; in a second column with those who cannot tell."""
    sides, answers = found.sides, found.answers
    rows: list[tuple[str, Callable[[Agreement], Figure], tuple[Agreement, ...]]] = [
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


def _as_share(found: Agreement) -> Figure:
    return _figure(found, whole_percent)


def _as_figure(found: Agreement) -> Figure:
    if found.units < ENOUGH:
        return Figure(_("too few pairs to tell"))
    return _figure(found, coefficient)


def _figure(found: Agreement, write: Callable[[float], str]) -> Figure:
    if found.estimate is None:
        return Figure(_("not defined: all say the same"))
    if found.low is None or found.high is None:
        return Figure(write(found.estimate), _("no interval"))
    limits = {"low": write(found.low), "high": write(found.high)}
    return Figure(write(found.estimate), _("%(low)s to %(high)s") % limits)
