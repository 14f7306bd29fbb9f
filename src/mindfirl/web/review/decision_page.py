"""Decisions on the review screen: in words, and as the buttons by which they are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext_lazy

from mindfirl.core.review.decisions import CANNOT_TELL, REASONS, USUAL, VERDICTS, Decision

_SIDES: Final = (gettext_lazy("different"), gettext_lazy("the same"))
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


@dataclass(frozen=True, slots=True)
class DecisionButton:
    id: str
    key: str
    value: str
    label: Any
    chosen: bool


@dataclass(frozen=True, slots=True)
class ScaleHalf:
    """The three steps of one side of the scale."""

    side: Any
    steps: list[DecisionButton]


@dataclass(frozen=True, slots=True)
class CannotTell:
    """The reasons of somebody who cannot tell."""

    chosen: bool
    buttons: list[DecisionButton]


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment as it is saved, as it was typed, and what is wrong with it."""

    said: str = ""
    typed: str = ""
    wrong: str = ""


NO_COMMENT: Final = Comment()


def decision_words(decision: Decision) -> str:
    words = str(_VERDICTS[decision.verdict])
    return f"{words}: {_REASONS[decision.reason]}" if decision.reason else words


def decision_value(decision: Decision) -> str:
    return f"{decision.verdict}:{decision.reason}" if decision.reason else decision.verdict


def scale(decision: Decision | None, keys: Mapping[str, str]) -> list[ScaleHalf]:
    steps = [
        DecisionButton(
            id=USUAL[verdict],
            key=keys[verdict],
            value=verdict,
            label=_SURE[verdict.partition(" ")[0]],
            chosen=decision is not None and decision.verdict == verdict,
        )
        for verdict in VERDICTS[:-1]
    ]
    half = len(steps) // 2
    return [ScaleHalf(_SIDES[0], steps[:half]), ScaleHalf(_SIDES[1], steps[half:])]


def cannot_tell(decision: Decision | None, keys: Mapping[str, str]) -> CannotTell:
    return CannotTell(
        chosen=decision is not None and decision.verdict == CANNOT_TELL,
        buttons=[
            DecisionButton(
                id=USUAL[reason],
                key=keys[reason],
                value=f"{CANNOT_TELL}:{reason}",
                label=_REASONS[reason],
                chosen=decision is not None and decision.reason == reason,
            )
            for reason in REASONS
        ],
    )
