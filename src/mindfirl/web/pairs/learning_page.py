"""What decisions say about the match weights, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.review.learnt_offset import ENOUGH_DECIDED, ENOUGH_OUTSIDE
from mindfirl.services.weight_learning import LearntProposal, proposal_of
from mindfirl.web.http.access import Request
from mindfirl.web.page.figures import count

_OBSTACLES: Final = {
    "too few": gettext_lazy(
        "%(decided)s pairs are decided. Decisions can correct the weights from %(enough)s decided "
        "pairs."
    ),
    "only the band": gettext_lazy(
        "%(outside)s of the %(decided)s decided pairs are from outside the band; %(needed)s are "
        "needed. Add a quality check to the next dispatch."
    ),
    "all alike": gettext_lazy(
        "All decisions are the same, so they cannot show how far the weights are off."
    ),
    "nothing to learn": gettext_lazy("%(decided)s decided pairs agree with the weights."),
    "does not hold": gettext_lazy(
        "A correction learned from the %(decided)s decided pairs did not hold for pairs that it "
        "was not learned from."
    ),
    "too large": gettext_lazy(
        "The correction would be too large for the weights to be trusted at all."
    ),
}


@dataclass(frozen=True, slots=True)
class LearntWords:
    alarm: str
    sentence: str
    change: str
    applied: bool


def learnt_words(request: Request) -> LearntWords | None:
    """Say what decisions say about the weights; nothing where nobody decided anything."""
    found = proposal_of(project=request.project, actor=request.actor)
    if found is None:
        return None
    sentences = [_sentence(found), *_under_review(found)]
    return LearntWords(_alarm(found), " ".join(sentences), _change(found), found.applied)


def _under_review(found: LearntProposal) -> Iterator[str]:
    if found.under_review:
        yield ngettext(
            "%(n)s pair is under review: it counts here once its assignments are submitted.",
            "%(n)s pairs are under review: they count here once their assignments are submitted.",
            found.under_review,
        ) % {"n": count(found.under_review)}


def _alarm(found: LearntProposal) -> str:
    if not found.learnt.contradicts:
        return ""
    return _(
        "The decisions contradict the match weights. Before you link, check the columns and find "
        "the pairs again, raise the upper threshold, or review more pairs."
    )


def _sentence(found: LearntProposal) -> str:
    learnt = found.learnt
    if learnt.obstacle is not None:
        return str(_OBSTACLES[learnt.obstacle]) % {
            "decided": count(learnt.decided),
            "enough": count(ENOUGH_DECIDED),
            "outside": count(learnt.outside),
            "needed": count(ENOUGH_OUTSIDE),
        }
    words = _("%(decided)s decided pairs suggest that all match weights should be %(by)s higher.")
    if learnt.shift.offset < 0:
        words = _(
            "%(decided)s decided pairs suggest that all match weights should be %(by)s lower."
        )
    by = number_format(f"{abs(learnt.shift.offset):.1f}")
    said = words % {"decided": count(learnt.decided), "by": by}
    if learnt.shift.slope == 1:
        return said
    stretched = _("%(said)s Before that, they should be multiplied by %(slope)s.")
    return stretched % {"said": said, "slope": number_format(f"{learnt.shift.slope:.1f}")}


def _change(found: LearntProposal) -> str:
    """Say what applying it changes; nothing where there is nothing to apply."""
    if not found.changes:
        return ""
    gained = ngettext("%(n)s link is gained", "%(n)s links are gained", found.gained)
    lost = ngettext("%(n)s link is lost", "%(n)s links are lost", found.lost)
    words = _("%(gained)s, %(lost)s, and people get %(then)s pairs instead of %(now)s.")
    return words % {
        "gained": gained % {"n": count(found.gained)},
        "lost": lost % {"n": count(found.lost)},
        "then": count(found.for_people),
        "now": count(found.for_people_now),
    }
