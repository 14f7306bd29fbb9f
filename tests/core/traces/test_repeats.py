"""What is found of a person in a cell, and what is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import strategies as st

from mindfirl.core.display.alignment import Mark
from mindfirl.core.display.cells import SEPARATOR, Sign
from mindfirl.core.errors import CommentRepeats, SettingError
from mindfirl.core.traces.normal_form import ELSEWHERE, RELEASES
from mindfirl.core.traces.repeats import (
    LONGEST,
    check_comment,
    comment_traces,
    identifying_traces,
    read_text,
    repeated,
    repeats,
    written,
)
from mindfirl.core.values.schema import Kind
from tests.conftest import Figure
from tests.support.proof import prove


def holds(kind: Kind, value: str, text: str) -> bool:
    return any(repeats(read_text(text), identifying_traces(kind, value), RELEASES))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Miller", "spoke to MILLER on the phone"),
        ("Miller", "Mr.Miller's wife"),
        ("Miller", "jmiller64@example.org"),
        ("Miller", "M i l l e r"),
        ("Miller", "M.I.L.L.E.R."),
        ("Miller", "Mil-ler"),
        ("Miller", "Mil\N{SOFT HYPHEN}ler"),
        ("Miller", "Ｍｉｌｌｅｒ"),
        ("Ann", "ann?"),
        ("Ann", "a n n"),
        ("Ann", "(Ann)"),
        ("Ann", "x_Ann_1964"),
        ("Anna-Maria", "called Maria"),
        ("Anna-Maria", "AnnaMaria"),
        ("O'Hara", "OHara"),
        ("O'Hara", "o hara"),
        ("Müller", "Mueller"),
        ("Müller", "Muller"),
        ("Mueller", "Herr Müller"),
        ("Muller", "Mu\N{COMBINING DIAERESIS}ller"),
        ("Strauß", "STRAUSS"),
        ("José", "Jose"),
        ("Łukasz", "lukasz"),
        ("van der Berg", "Frau Berg"),
        ("van der Berg", "vanderberg"),
        ("Van", "Van came"),
        ("Иванов", "пациент ИВАНОВ"),
        ("王小明", "患者王小明来院"),
        ("김민수", "환자 김민수는"),
        ("K1A 0B6", "lives at k1a-0b6 now"),
        ("12 North Street", "moved from North"),
    ],
)
def test_words_are_found_however_they_are_written(value: str, text: str) -> None:
    assert holds("string", value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Ina", "in a week"),
        ("Rosa", "rosacea"),
        ("King", "taking and smoking"),
        ("Ann", "annual"),
        ("Li", "li"),
        ("van der Berg", "an der Hand, van de hand"),
        ("Miller", "mill era"),
        ("Herman", "her manner"),
        ("K1A 0B6", "k1a"),
    ],
)
def test_other_words_are_not_taken_for_them(value: str, text: str) -> None:
    assert not holds("string", value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("123456789", "no. 123456789."),
        ("123456789", "123-45-6789"),
        ("123-45-6789", "123 45 6789"),
        ("123-45-6789", "ends in 6789"),
        ("123456789", "1.234.567,89"),
        ("123456789", "x123456789y"),
        ("123456789", "DE00 1234 5678 90"),
        ("001234567", "1234567"),
        ("001234567", "1234567.0"),
        ("00012345", "12345.0"),
        ("12345", "(12345)"),
        ("12345", "12,345"),
        ("12345", "12 345"),
        ("12345", "012345"),
        ("12345", "0000012345"),
        ("12345", "12345-6789"),
        ("12345", "2014/12345"),
        ("12345", "ZIP:12345;"),
        ("12345", "in 12345 Town, 3 floors"),
        ("1234", "١٢٣٤"),
        ("A12345B", "a-12345-b"),
        ("1234567", "99123456799"),
    ],
)
def test_numbers_are_found_whatever_parts_their_digits(value: str, text: str) -> None:
    assert holds("fixed", value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("123", "123"),
        ("1234", "1234.56"),
        ("1234", "12345"),
        ("12345", "12345.67"),
        ("12345", "1.12345"),
        ("2014", "2014-03-05"),
        ("12345", "1234567"),
        ("12345", "123456 and 7"),
        ("123456789", "12345678"),
        ("123456789", "1234 mg, then 56789 ml"),
    ],
)
def test_other_numbers_are_not_taken_for_them(value: str, text: str) -> None:
    assert not holds("fixed", value, text)


@pytest.mark.parametrize(
    "text",
    [
        "1964-08-09",
        "1964-08-09T00:00:00",
        "1964/8/9",
        "9.8.1964",
        "09. 08. 1964",
        "09/08/64",
        "08-09-64",
        "64 08 09",
        "19640809",
        "09081964",
        "9081964",
        "981964",
        "090864",
        "640809",
        "90864",
        "19640809120000",
        "1964-09-08",
        "9 August 1964",
        "9. August 1964",
        "Aug 9th 1964",
        "August 9, 1964",
        "on the 9th of August, 1964",
        "1964 Aug 09",
        "09AUG1964",
        "9-Aug-64",
        "9 août 1964",
        "le 9 aout 1964",
        "9 de agosto de 1964",
        "9 agosto 1964",
        "born 9.8.64 in town",
        "CPR 090864-1234",
        "٠٩/٠٨/١٩٦٤",
    ],
)
def test_dates_are_found_in_any_order_and_form(text: str) -> None:
    assert holds("date", "1964-08-09", text)


@pytest.mark.parametrize(
    ("born", "text"),
    [
        ("1964-03-01", "1. März 1964"),
        ("1964-03-01", "1. Maerz 1964"),
        ("1964-03-01", "1er mars 1964"),
        ("1964-03-01", "1 mrz 64"),
        ("1964-01-31", "31 enero 1964"),
        ("1964-12-31", "31. Dez. 1964"),
        ("1964-12-31", "31 déc. 1964"),
        ("1964-07-31", "31 juil 1964"),
        ("1964-05-31", "31 de mayo del 1964"),
        ("1964-08", "August 1964"),
        ("1964-08", "08/1964"),
        ("1964-08", "since 1964-08-30"),
        ("1964-13-09", "13/09/1964"),
    ],
)
def test_months_are_known_by_their_names(born: str, text: str) -> None:
    assert holds("date", born, text)


@pytest.mark.parametrize(
    ("born", "text"),
    [
        ("1964-08-09", "1964"),
        ("1964-08-09", "1964-08"),
        ("1964-08-09", "August 1964"),
        ("1964-08-09", "9 August"),
        ("1964-08-09", "1964-08-10"),
        ("1964-08-09", "2064-08-09"),
        ("1964-08-09", "9 patients in August, 12 doctors and 40 nurses came until 1964"),
        ("1964", "1964"),
    ],
)
def test_other_dates_are_not_taken_for_it(born: str, text: str) -> None:
    assert not holds("date", born, text)


def test_values_of_categories_are_not_sought() -> None:
    assert not holds("category", "Miller 12345", "Miller 12345")


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


@pytest.mark.parametrize(
    "words",
    [
        "it is renkluaF, I think",  # reversed
        "Faulknar, or so",  # one letter replaced
        "F4ulkner",  # a digit for a letter
        "Fau1kner",
        "Faul then kner",  # split by a word
        "faulkner elsewhere",
    ],
)
def test_simple_disguises_are_refused_in_the_pair_and_elsewhere(words: str) -> None:
    shown = [row("FAULKNER")]
    assert repeated(words, shown)
    assert repeated(words, [row("********")], comment_traces(shown, ELSEWHERE))


@pytest.mark.parametrize(
    "words",
    [
        *("Faulkne", "Fauulkner", "Fualkner", "starts with Faulk", "flknr"),
        *("f and a and u and l and k and n and e and r", "6 1 21 12 11 14 5 18"),
        "foxtrot alpha uniform lima kilo november echo romeo",
        *("Snhyxare", "RmF1bGtuZXI=", "F&#97;ulkner", "ɹǝuʞlnɐɟ"),
        *("432615184", "481 then 516 then 234", "four eight one five one six two three four"),
        "ninth of August sixty-four",
    ],
)
def test_other_disguises_pass_and_are_written_down(words: str) -> None:
    """What passes is in docs/limits.md; where one is caught some day, it goes from there."""
    shown = [row("FAULKNER"), row("481516234"), row("1964/08/09", date=True)]
    assert not repeated(words, shown)


@pytest.mark.parametrize("value", ["12 MAIN STREET", "PARK ROAD", "MAY", "AUGUST", "NORTH HILL"])
def test_ordinary_words_are_no_repetition(value: str) -> None:
    words = "the street or road changed in May or August, north of the park on the hill"
    assert not repeated(words, [row(value)])
    assert not repeated(words, [], comment_traces([row(value)], ELSEWHERE))


def test_what_is_open_elsewhere_is_refused_by_whole_words_and_numbers() -> None:
    elsewhere = comment_traces(
        [row("GRANT"), row("123456789"), row("1964/08/09", date=True)], ELSEWHERE
    )
    for words in ("like Grant", "no. 123-45-6789", "born 9 Aug 1964", "09.08.64"):
        assert repeated(words, [], elsewhere)
    for words in ("born in 1964", "ends in 6789", "taken for granted?"[:9], "9 of 10"):
        assert not repeated(words, [], elsewhere)


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
