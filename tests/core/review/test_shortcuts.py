"""The keys of the review screen: others can be chosen, each for one thing."""

from __future__ import annotations

import pytest

from mindfirl.core.errors import FieldErrors
from mindfirl.core.review.shortcuts import USUAL, changed_keys, keys_of


def test_no_usual_key_does_two_things() -> None:
    assert len(set(USUAL.values())) == len(USUAL)


def test_only_what_is_not_usual_is_kept() -> None:
    assert changed_keys(USUAL) == {}
    changed = changed_keys({**USUAL, "undo": " z ", "legend": "ß"})
    assert changed == {"undo": "z", "legend": "ß"}
    assert keys_of(changed) == {**USUAL, "undo": "z", "legend": "ß"}


def test_keys_can_be_exchanged() -> None:
    changed = changed_keys({**USUAL, "undo": USUAL["legend"], "legend": USUAL["undo"]})
    assert changed == {"undo": "l", "legend": "u"}


def test_what_was_chosen_before_there_was_a_usual_key_stays() -> None:
    found = keys_of({"undo": USUAL["suggested"]})
    assert (found["undo"], found["suggested"]) == ("s", "")
    assert [action for action, key in found.items() if not key] == ["suggested"]
    with pytest.raises(FieldErrors) as refused:
        changed_keys(found)
    assert set(refused.value.fields) == {"suggested"}


@pytest.mark.parametrize("key", ["", " ", "ab", "\t", "\x00", "\u0301", "\u200b", "😀", "\ue000"])
def test_what_is_not_one_printable_character_is_refused(key: str) -> None:
    with pytest.raises(FieldErrors) as refused:
        changed_keys({**USUAL, "undo": key})
    assert refused.value.fields == {"undo": "Type one letter, digit or sign."}


def test_a_key_for_two_things_is_refused_at_both() -> None:
    with pytest.raises(FieldErrors) as refused:
        changed_keys({**USUAL, "undo": "n"})
    assert set(refused.value.fields) == {"undo", "next undecided"}


def test_what_is_not_typed_at_all_is_refused() -> None:
    with pytest.raises(FieldErrors) as refused:
        changed_keys({})
    assert set(refused.value.fields) == set(USUAL)
