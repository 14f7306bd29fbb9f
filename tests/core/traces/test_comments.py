"""Comments: what their writer sees is refused, however it is written; the rest is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import strategies as st

from mindfirl.core.display.alignment import Mark
from mindfirl.core.display.cells import SEPARATOR, Sign
from mindfirl.core.errors import CommentRepeats, SettingError
from mindfirl.core.traces.comments import LONGEST, check_comment, repeated, written
from tests.conftest import Figure
from tests.support.proof import prove

Row = tuple[Sign, ...]


def row(drawn: str, *, date: bool = False) -> Row:
    """A row as it is drawn: stars are hidden; of a date, strokes are not of its value."""
    return tuple(
        Sign(
            each,
            shown=each != "*" and not (date and each == SEPARATOR),
            mark=Mark.SAME,
        )
        for each in drawn
    )


@pytest.mark.parametrize(
    ("drawn", "words"),
    [
        ("MARY", "mary again"),
        ("Mary", "the other is not MARY."),
        ("MARY", "M a r y"),
        ("MARY", "M-a-r-y, or so"),
        ("MARY", "Ma ry"),
        ("MARY", "Ｍａｒｙ"),
        ("MARY", "M\u200bary"),
        ("MARY", "Mary's"),
        ("MARY", "it is Marys"),
        ("SANCHEZ JR", "Sánchez"),
        ("SÁNCHEZ", "sanchez"),
        ("SANCHEZ", "xx sanche zyy"),
        ("MÜLLER", "mu\u0308ller"),
        ("STRAßE", "strasse"),
        ("JØRGEN", "jorgen"),
        ("LI", "is it Li?"),
        ("LI WU", "liwu"),
        ("F", "f, I think"),
        ("ANN", "Ann"),
        ("**ARY", "a ry"),
        ("M**CHEZ", "chez"),
        ("1742682819", "it ends in 2819"),
        ("1742682819", "174 268 2819"),
        ("1742682819", "１７４２"),
        ("1742682819", "٢٦٨٢"),
        ("12 MAIN ST", "main"),
        ("MÜLLER", "Mueller"),
        ("Mueller", "müller"),
        ("ANN", "ann64"),
        ("ANN", "Ann\u200bLee"),
        ("王小明", "患者王小明来院"),
        ("1742682819", "1742.0"),
    ],
)
def test_what_is_visible_is_refused(drawn: str, words: str) -> None:
    assert repeated(words, [row("*****"), row(drawn)])
    with pytest.raises(CommentRepeats) as refused:
        check_comment(words, [row(drawn)])
    assert words not in str(refused.value)


@pytest.mark.parametrize(
    "words",
    [
        "1964",
        "1964-08-09",
        "09.08.1964",
        "8/9/1964",
        "9 8 64",
        "090864",
        "640809",
        "08/09",
        "born 9.8.64!",
        "9 Aug 64",
        "August 9",
        "9. August",
        "am 9. Aug. geboren",
        "19640809",
    ],
)
def test_a_date_is_refused_in_any_order(words: str) -> None:
    assert repeated(words, [row("1964/08/09", date=True)])


def test_two_visible_words_are_refused_when_written_together() -> None:
    assert repeated("annlee", [row("ANN"), row("LEE")])
    assert not repeated("annkim", [row("ANN"), row("LEE")])


@pytest.mark.parametrize(
    ("drawn", "words"),
    [
        ("****", "Mary"),
        ("***y", "y"),
        ("SAM", "they are the same"),
        ("ANN", "cannot tell, planned"),
        ("ANN", "cannot tell, in an"),
        ("MARY", "the names are alike"),
        ("SANCHEZ JR", "one has a suffix"),
        ("DE LA CRUZ", "la de"),
        ("F", "if only"),
        ("1742682819", "174 letters of 819"),
        ("1742682819", "17 of 42"),
        ("???", "???"),
        ("MARY", ""),
        ("", "Mary"),
    ],
)
def test_what_is_hidden_or_something_else_is_not(drawn: str, words: str) -> None:
    assert not repeated(words, [row(drawn)])
    check_comment(words, [row(drawn)])


def test_parts_of_a_date_that_are_hidden_are_not_refused() -> None:
    assert not repeated("1964 8 9", [row("****/08/**", date=True)])
    assert repeated("0809", [row("****/08/09", date=True)])
    assert not repeated("1964, 64", [row("****/08/09", date=True)])


def test_a_comment_is_kept_without_what_surrounds_it_and_has_an_end() -> None:
    assert written("  two\r\nlines ") == "two\nlines"
    assert written("e\u0301") == "é"
    assert len(written("x" * LONGEST)) == LONGEST
    with pytest.raises(SettingError, match="500"):
        written("x" * (LONGEST + 1))


OTHERS = ("the", "rows", "look", "alike", "but", "cannot", "be", "told", "planned", "same", "every")
NAMES = ("MARY", "Ann", "SAM", "EVE", "Sánchez", "MÜLLER", "O'BRIEN", "Nguyễn", "LI", "Łukasz")
BETWEEN = (" ", "-", ".", "_", " - ", "\u00a0", "\u200b", "*", "\n")


def wide(word: str) -> str:
    """Write a word in the full width forms of its letters."""
    return "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in word)


@dataclass(frozen=True)
class Case:
    rows: Sequence[Row]
    words: str


@st.composite
def repeating(draw: st.DrawFn) -> Case:
    """A comment in which an opened word or number stands, in one of the ways to write it."""
    letters = st.text(st.characters(categories=["Lu", "Ll"], max_codepoint=0x24F), min_size=3)
    digits = st.text("0123456789", min_size=4, max_size=12)
    opened = draw(st.sampled_from(NAMES) | letters | digits)
    again = draw(st.sampled_from([str.lower, str.upper, str.title, str.casefold, wide]))(opened)
    again = draw(st.sampled_from(["", *BETWEEN])).join(again)
    before, after = (draw(st.lists(st.sampled_from(OTHERS), max_size=4)) for _ in range(2))
    mark = draw(st.sampled_from(["", ",", "!", "’s", "”"]))
    others = [row(draw(st.sampled_from(("****", "AB**", *NAMES))))]
    return Case([*others, row(opened)], " ".join([*before, again + mark, *after]))


@st.composite
def innocent(draw: st.DrawFn) -> Case:
    """A comment of other words, beside opened and hidden values."""
    opened = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4))
    hidden = draw(st.sampled_from(OTHERS))
    rows = [*map(row, opened), row("*" * len(hidden))]
    return Case(rows, " ".join([*draw(st.lists(st.sampled_from(OTHERS), min_size=1)), hidden]))


@pytest.mark.proof
def test_opened_words_are_refused_in_every_comment(figure: Figure) -> None:
    def check(case: Case) -> None:
        assert repeated(case.words, case.rows)

    prove("an opened word or number in a comment is refused", repeating(), check, figure)


@pytest.mark.proof
def test_other_words_are_not_refused(figure: Figure) -> None:
    def check(case: Case) -> None:
        assert not repeated(case.words, case.rows)

    prove("a comment of other words is taken", innocent(), check, figure)
