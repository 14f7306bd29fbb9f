"""What the practice says of a decision: whether it is right, why, and what was enough to see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.values.schema import Level, level_number
from mindfirl.services.review.disclosure.practice import Practice, example_of
from mindfirl.synthetic.practice_pairs import Example

_WHY: Final = {
    "transposed": gettext_lazy(
        "Two neighbouring letters of the last name have changed places, and everything else "
        "agrees, the number too: a typing error. The marks tell this; nothing has to be opened."
    ),
    "strangers": gettext_lazy(
        "Only the last name and the sex agree, and many people share these. The rest has too "
        "little in common to be a mistake. The marks tell this; nothing has to be opened."
    ),
    "exchanged": gettext_lazy(
        "Day and month of birth have changed places, as happens where dates are written in "
        "another order; everything else agrees. The marks tell this; nothing has to be opened."
    ),
    "twins": gettext_lazy(
        "Same last name, birthday and ZIP, but neighbouring numbers: this could be twins, or one "
        "person with a nickname and a mistyped number. The first names settle it: Clara and Emma "
        "are two people. Opening the first name is enough."
    ),
    "swapped": gettext_lazy(
        "First and last name stand in each other's column, and the person has moved; birthday and "
        "number agree. The marks tell this; nothing has to be opened."
    ),
    "junior": gettext_lazy(
        "One last name has three characters more, the birthdays have nothing in common, and a "
        "number is missing. What differs is “Jr”: father and son. Opening what differs in the "
        "last name is enough."
    ),
    "letter": gettext_lazy(
        "A number is missing, so the one letter that differs matters: Erik and Eric are spellings "
        "of one name, and birthday and ZIP agree. Opening what differs in the first name is enough."
    ),
    "empty": gettext_lazy(
        "Nearly everything that could tell is missing, and many people share the last name. "
        "Opening what is left would cost, and settle nothing: this is bad data."
    ),
}
"""Why each answer is what it is, and what is enough to see."""

_ANSWERS: Final = {
    True: gettext_lazy("the same person"),
    False: gettext_lazy("two people"),
    None: gettext_lazy("it cannot be told"),
}


@dataclass(frozen=True, slots=True)
class Feedback:
    """Whether a decision is right, why, and what was opened without need."""

    tone: str
    verdict: str
    why: str
    spare: str


def feedback(practice: Practice, token: str) -> Feedback | None:
    """Return what is said of a decision; nothing where there is none yet."""
    right = practice.right(token)
    if right is None:
        return None
    example = example_of(token)
    spare = _spare(example, practice.opened.get(token, ()))
    verdict = _("Right: %s.") if right else _("Not so: %s.")
    return Feedback(
        tone="success" if right else "warning",
        verdict=verdict % answer_words(example),
        why=str(_WHY[example.name]),
        spare=_("You opened more than was needed: %s.") % ", ".join(spare) if spare else "",
    )


def answer_words(example: Example) -> str:
    return str(_ANSWERS[example.same])


def _spare(example: Example, opened: Iterable[tuple[str, Level]]) -> list[str]:
    """Name the attributes of which more was opened than is enough."""
    return list(
        dict.fromkeys(
            name
            for name, level in opened
            if level_number(level) > level_number(example.enough.get(name, "masked"))
        )
    )
