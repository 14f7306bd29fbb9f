"""Comments on pairs: sealed, every change kept, and nothing in them that their writer sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from mindfirl.core.errors import (
    CommentBroken,
    CommentRepeats,
    KeyMissing,
    NotOpen,
    NotYours,
    SettingError,
)
from mindfirl.core.review.decisions import Decision
from mindfirl.core.risk.kapr import Step
from mindfirl.services.dispatch import assignments
from mindfirl.services.review.decisions import decide, submit
from mindfirl.services.review.disclosure.commenting import comment, comments_of, set_aside
from mindfirl.services.review.disclosure.opening import open_step, show_pairs
from mindfirl.services.upkeep.health import rotate_keys
from mindfirl.store.models import Assignment, Comment, OpenCell
from tests.support.reviews import NAMES, Study, make_given


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_given(tmp_path, people=20, pairs=30, budget="100")


@pytest.fixture
def mine(study: Study) -> Assignment:
    return Assignment.objects.get(account=study.workers[0])


def say(mine: Assignment, words: str, number: int = 1) -> None:
    token = mine.pairs.get(number=number).token
    comment(account=mine.account, assignment=mine, token=token, words=words, now=timezone.now())


def opened_word(mine: Assignment, number: int = 1) -> str:
    """Open a name of a pair, and return it."""
    pair = show_pairs(assignment=mine, numbers=[number])[0]
    open_step(
        account=mine.account,
        assignment=mine,
        token=pair.token,
        step=Step("last", "full"),
        seen=pair.state,
        now=timezone.now(),
    )
    (cell,) = (
        each
        for each in show_pairs(assignment=mine, numbers=[number])[0].cells
        if each.attribute == "last"
    )
    return "".join(sign.text for sign in cell.rows[0])


def test_the_latest_counts_and_every_change_is_kept_sealed(mine: Assignment) -> None:
    for words in ("the names are alike", " the names are alike\n", "not so sure"):
        say(mine, words)
    say(mine, "another pair", number=2)
    assert comments_of(assignment=mine) == {1: "not so sure", 2: "another pair"}
    assert comments_of(assignment=mine, numbers=[2]) == {2: "another pair"}
    say(mine, "")
    assert comments_of(assignment=mine) == {2: "another pair"}
    kept = Comment.objects.filter(pair__number=1).order_by("number")
    assert [each.number for each in kept] == [1, 2, 3]
    assert all(b"names" not in bytes(each.sealed) for each in kept)
    assert kept[0].at < kept[2].at


def test_what_was_opened_is_refused_and_what_was_not_is_not(mine: Assignment) -> None:
    masked = show_pairs(assignment=mine, numbers=[1])[0]
    assert not any(sign.shown for cell in masked.cells for row in cell.rows for sign in row)
    word = opened_word(mine)
    for words in (word, word.lower(), f"is it {'-'.join(word)}?"):
        with pytest.raises(CommentRepeats) as refused:
            say(mine, words)
        assert word.casefold() not in str(refused.value).casefold()
    assert not Comment.objects.exists()


def test_a_comment_is_never_held_against_what_is_hidden(mine: Assignment) -> None:
    for word in (*NAMES, "1950", "F", "M"):
        say(mine, word)
        assert comments_of(assignment=mine) == {1: word}


def test_a_comment_that_is_too_long_is_refused(mine: Assignment) -> None:
    with pytest.raises(SettingError, match="500"):
        say(mine, "x" * 501)
    assert not Comment.objects.exists()


def test_what_is_not_ones_own_cannot_be_commented_on(study: Study, mine: Assignment) -> None:
    theirs = Assignment.objects.get(account=study.workers[1])
    for account, token in (
        (mine.account, theirs.pairs.get(number=1).token),
        (study.workers[1], mine.pairs.get(number=1).token),
    ):
        with pytest.raises(NotYours):
            comment(
                account=account,
                assignment=mine,
                token=token,
                words="mine?",
                now=timezone.now(),
            )
    assert not Comment.objects.exists()


def test_a_paused_assignment_takes_no_comment(study: Study, mine: Assignment) -> None:
    assignments.pause(assignment=mine, actor=study.actor)
    with pytest.raises(NotOpen, match="paused"):
        say(mine, "later")


def test_a_comment_that_was_put_elsewhere_or_changed_does_not_open(mine: Assignment) -> None:
    say(mine, "first", number=1)
    say(mine, "second", number=2)
    one, two = Comment.objects.order_by("pair__number")
    kept = bytes(one.sealed)
    Comment.objects.filter(pk=one.pk).update(sealed=bytes(two.sealed))
    with pytest.raises(CommentBroken):
        comments_of(assignment=mine)
    Comment.objects.filter(pk=one.pk).update(sealed=kept[:-1] + bytes([kept[-1] ^ 1]))
    with pytest.raises(CommentBroken):
        comments_of(assignment=mine)
    Comment.objects.filter(pk=one.pk).update(sealed=kept, number=2)
    with pytest.raises(CommentBroken):
        comments_of(assignment=mine)


def test_comments_are_there_under_new_keys_and_gone_without(mine: Assignment) -> None:
    say(mine, "kept")
    before = bytes(Comment.objects.get().sealed)
    rotate_keys(project=mine.project)
    again = Assignment.objects.get(pk=mine.pk)
    assert comments_of(assignment=again) == {1: "kept"}
    assert bytes(Comment.objects.get().sealed) != before
    (key,) = Path(settings.MINDFIRL_KEYS).glob("*/identity-*.key")
    key.unlink()
    with pytest.raises(KeyMissing):
        comments_of(assignment=again)


def test_a_word_opened_in_another_pair_is_refused(mine: Assignment) -> None:
    words = {opened_word(mine, number) for number in range(1, 6)}
    for word in words:
        with pytest.raises(CommentRepeats):
            say(mine, f"like {word.title()} before", number=mine.size)
    assert comments_of(assignment=mine) == {}


def test_a_comment_written_before_the_opening_is_set_aside_until_rewritten(
    mine: Assignment,
) -> None:
    guesses = dict.fromkeys(range(1, 6), "")
    for number in guesses:
        word = opened_word(mine, number)
        OpenCell.objects.filter(pair__assignment=mine, pair__number=number).delete()
        guesses[number] = word
        say(mine, f"I think of {word}", number=5 + number)
    before = comments_of(assignment=mine)
    assert set_aside(assignment=mine, comments=before) == set()
    for number, word in guesses.items():
        assert opened_word(mine, number) == word
    assert set_aside(assignment=mine, comments=before) == set(before)
    for pair in mine.pairs.all():
        decide(
            account=mine.account,
            assignment=mine,
            token=pair.token,
            decision=Decision("surely the same"),
            now=timezone.now(),
        )
    with pytest.raises(SettingError, match=f"{len(before)} comments repeat something"):
        submit(account=mine.account, assignment=mine, now=timezone.now())
    for number in before:
        say(mine, "rewritten without it", number=number)
    submit(account=mine.account, assignment=mine, now=timezone.now())
    mine.refresh_from_db()
    assert mine.state == "submitted"
