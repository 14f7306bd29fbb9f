"""The keys of the review screen: what each does, the usual ones, and which others can be chosen.

Arrows, Enter and Escape always do what they do; what is chosen here is single printable characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final
from unicodedata import category

from mindfirl.core.errors import FieldErrors
from mindfirl.core.review.decisions import REASONS, VERDICTS

USUAL: Final[dict[str, str]] = {
    **{verdict: str(number) for number, verdict in enumerate(VERDICTS[:-1], start=1)},
    VERDICTS[-1]: "0",
    **dict(zip(REASONS, "teb", strict=True)),
    "undo": "u",
    "comment": "c",
    "open differences": "d",
    "open everything": "a",
    "next undecided": "n",
    "suggested": "s",
    "legend": "l",
    "guidance": "g",
    "all keys": "?",
}
"""The usual key of everything that has one."""

_LAST_OF_ONE_UNIT: Final = 0xFFFF
"""A browser tells characters beyond this one as two."""


def keys_of(changed: Mapping[str, str]) -> dict[str, str]:
    """Return the key of everything, given those that were changed.

    Where somebody has given the usual key of something to something else, it has none.
    """
    taken = set(changed.values())
    return {
        action: changed.get(action, "" if usual in taken else usual)
        for action, usual in USUAL.items()
    }


def changed_keys(typed: Mapping[str, str]) -> dict[str, str]:
    """Return those of the typed keys that are not the usual ones; refuse keys that cannot be."""
    keys = {action: typed.get(action, "").strip() for action in USUAL}
    often = Counter(keys.values())
    wrong = {
        action: "Type one letter, digit or sign."
        if not _is_key(key)
        else "This key is also chosen for something else. Choose another for one of them."
        for action, key in keys.items()
        if not _is_key(key) or often[key] > 1
    }
    if wrong:
        raise FieldErrors(wrong)
    return {action: key for action, key in keys.items() if key != USUAL[action]}


def _is_key(key: str) -> bool:
    """Say whether a text is one character that a key can write."""
    return (
        len(key) == 1
        and ord(key) <= _LAST_OF_ONE_UNIT
        and key.isprintable()
        and category(key)[0] != "M"
    )
