"""Figures of agreement: published examples to four digits, a textbook version, and their laws."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mindfirl.core.errors import UnknownName
from mindfirl.core.review.agreement import (
    Agreement,
    Unit,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    observed_agreement,
)
from mindfirl.core.review.agreement_summary import (
    LINK,
    NON_LINK,
    Opened,
    Vote,
    couples,
    figures,
    grouped,
    of_two,
    opened_in,
    summary,
    unit_of,
)
from mindfirl.core.review.decisions import VERDICTS, Decision, Verdict
from tests.support import naive_agreement as naive

Z = 1.959963984540054

# Fleiss, Cohen & Everitt (1969), Psychological Bulletin 72: two judges, 200 people in three
# categories, given there as proportions.
FLEISS_COHEN_EVERITT_1969 = [[106, 10, 4], [22, 28, 10], [2, 12, 6]]
# The example that textbooks give first: 50 proposals for a grant, two readers.
GRANTS = [[20, 5], [10, 15]]
# SAS/STAT User's Guide, "The FREQ Procedure", Agreement Study: skin condition, two dermatologists.
SKIN_CONDITION = [[10, 4, 1, 0], [5, 10, 12, 2], [2, 4, 12, 5], [0, 2, 6, 13]]
# Bonett, statpsych, ci.kappa: two dichotomous ratings, after Fleiss & Paik (2003).
TWO_DICHOTOMOUS = [[31, 12], [4, 58]]
# Hout, Duncan & Sobel (1987), as in R's vcd: SexualFun.
SEXUAL_FUN = [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]]
# Gwet (2014), Handbook of Inter-Rater Reliability: 100 units, two raters, three categories.
GWET_2014 = [[75, 1, 4], [5, 4, 1], [0, 0, 10]]

# Fleiss (1971), Psychological Bulletin 76: 30 patients, six psychiatrists each, five diagnoses.
# fmt: off
FLEISS_1971 = [
    "444444", "222555", "233335", "555555", "222444", "113333",
    "333355", "113334", "114444", "555555", "144444", "124444",
    "222333", "144444", "224445", "333335", "111455", "111112",
    "224444", "133555", "555555", "244444", "224555", "114444",
    "144445", "222224", "111155", "224444", "133333", "555555",
]
# fmt: on

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability: an observer a line, a unit a
# place, a dot where nothing was said.
KRIPPENDORFF_A = ["0100000010", "1110010000"]
KRIPPENDORFF_B = ["aabbdcccedda", "babbbccceddd"]
KRIPPENDORFF_C = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]


def of_table(table: Sequence[Sequence[int]]) -> list[Unit]:
    """Write a table of two raters unit by unit."""
    return [
        {"first": str(row), "second": str(column)}
        for row, numbers in enumerate(table)
        for column, number in enumerate(numbers)
        for _ in range(number)
    ]


def of_rows(rows: Sequence[str]) -> list[Unit]:
    """Write ratings, a unit a word, unit by unit."""
    return [{str(rater): said for rater, said in enumerate(row)} for row in rows]


def of_lines(lines: Sequence[str]) -> list[Unit]:
    """Write ratings, an observer a line, unit by unit."""
    units = zip(*lines, strict=True)
    return [{str(rater): s for rater, s in enumerate(said) if s != "."} for said in units]


def error(found: Agreement) -> float:
    """The standard error that an interval shows."""
    assert found.estimate is not None
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.estimate == pytest.approx(found.estimate - found.low), "not cut"
    return (found.high - found.low) / 2 / Z


@pytest.mark.parametrize(
    ("table", "kappa", "standard_error"),
    [
        (FLEISS_COHEN_EVERITT_1969, 0.4286, 0.0537),
        (GRANTS, 0.4000, 0.1270),
        (SKIN_CONDITION, 0.3449, 0.0724),
        (TWO_DICHOTOMOUS, 0.6757, 0.0734),
        (SEXUAL_FUN, 0.1293, 0.0686),
    ],
)
def test_cohens_kappa_of_published_tables(
    table: list[list[int]], kappa: float, standard_error: float
) -> None:
    found = cohen_kappa(of_table(table), "first", "second")
    assert found.estimate == pytest.approx(kappa, abs=0.00005)
    assert error(found) == pytest.approx(standard_error, abs=0.00005)
    assert (found.units, found.raters, found.lack) == (sum(map(sum, table)), 2, None)


@pytest.mark.parametrize(
    ("table", "low", "high"), [(SKIN_CONDITION, 0.2030, 0.4868), (TWO_DICHOTOMOUS, 0.5317, 0.8196)]
)
def test_published_limits_of_cohens_kappa(table: list[list[int]], low: float, high: float) -> None:
    found = cohen_kappa(of_table(table), "first", "second")
    assert found.low == pytest.approx(low, abs=0.00005)
    assert found.high == pytest.approx(high, abs=0.00005)


def test_fleiss_kappa_of_the_published_diagnoses() -> None:
    found = fleiss_kappa(of_rows(FLEISS_1971))
    assert found.estimate == pytest.approx(0.4302, abs=0.00005)
    assert error(found) == pytest.approx(0.0542, abs=0.00005)
    assert (found.units, found.raters, found.left_out) == (30, 6, 0)


@pytest.mark.parametrize(
    ("lines", "order", "published"),
    [
        (KRIPPENDORFF_A, None, 0.0952),
        (KRIPPENDORFF_B, None, 0.6920),
        (KRIPPENDORFF_C, None, 0.7434),
        (KRIPPENDORFF_C, "12345", 0.8154),
    ],
)
def test_krippendorffs_alpha_of_published_data(
    lines: list[str], order: str | None, published: float
) -> None:
    found = krippendorff_alpha(of_lines(lines), order=order)
    assert found.estimate == pytest.approx(published, abs=0.00005)


def test_units_rated_once_do_not_count() -> None:
    found = krippendorff_alpha(of_lines(KRIPPENDORFF_C))
    assert (found.units, found.raters) == (11, 4), "the twelfth was rated by one observer alone"


def test_all_figures_of_one_published_table() -> None:
    found = of_two(of_table(GWET_2014), "first", "second")
    figures = [found.observed, found.cohen, found.alpha]
    assert [round(each.estimate or 0, 4) for each in figures] == [0.89, 0.6765, 0.6769]


def test_wilsons_limits_of_a_published_share() -> None:
    # Newcombe (1998), Statistics in Medicine 17: 81 of 263, and 0 of 20.
    for agree, size, low, high in ((81, 263, 0.2553, 0.3662), (0, 20, 0.0, 0.1611)):
        found = observed_agreement(of_table([[agree, size - agree], [0, 0]]))
        assert found.estimate == pytest.approx(agree / size)
        assert found.low == pytest.approx(low, abs=0.00005)
        assert found.high == pytest.approx(high, abs=0.00005)


# The textbook version, and laws

CATEGORIES = "abc"
ORDER = ("a", "b", "c")


def unit(raters: int, fewest: int = 0) -> st.SearchStrategy[Unit]:
    names = st.sampled_from([f"rater{number}" for number in range(raters)])
    return st.dictionaries(names, st.sampled_from(CATEGORIES), min_size=fewest)


def complete(raters: int) -> st.SearchStrategy[list[Unit]]:
    """Units that everybody has rated."""
    said = st.lists(st.sampled_from(CATEGORIES), min_size=raters, max_size=raters)
    return st.lists(said.map(lambda each: of_rows(["".join(each)])[0]), min_size=2, max_size=12)


some_units = st.lists(unit(4), max_size=12)


def close(found: Agreement, estimate: float, standard_error: float | None) -> None:
    """Hold a figure against a naive one; where that has no spread, there is no interval."""
    assert found.estimate == pytest.approx(estimate)
    if standard_error is None or standard_error < 1e-6:
        assert (found.low, found.high, found.lack) == (None, None, "no interval")
    else:
        low, high = estimate - Z * standard_error, estimate + Z * standard_error
        assert found.low == pytest.approx(max(low, -1))
        assert found.high == pytest.approx(min(high, 1))
        assert found.lack is None


def chosen(units: Sequence[Unit]) -> set[str]:
    return {category for unit in units for category in unit.values()}


@given(complete(2))
def test_cohens_kappa_is_the_textbooks(units: list[Unit]) -> None:
    assume(len(chosen(units)) > 1)
    close(cohen_kappa(units, "0", "1"), *naive.cohen(units, "0", "1"))


@given(st.integers(2, 5).flatmap(complete))
def test_fleiss_kappa_is_the_textbooks(units: list[Unit]) -> None:
    assume(len(chosen(units)) > 1)
    close(fleiss_kappa(units), *naive.fleiss(units))


@given(some_units, st.sampled_from([None, ORDER]))
def test_krippendorffs_alpha_is_the_textbooks(
    units: list[Unit], order: tuple[str, ...] | None
) -> None:
    rated = [unit for unit in units if len(unit) > 1]
    assume(len(rated) > 1)
    found, expected = krippendorff_alpha(units, order=order), naive.alpha(rated, order)
    assert expected is not None or (found.estimate, found.lack) == (None, "one category")
    if expected is not None:
        close(found, expected, naive.jackknife(rated, order))


@given(some_units)
def test_observed_agreement_is_counted_two_by_two(units: list[Unit]) -> None:
    rated = [unit for unit in units if len(unit) > 1]
    assume(len(rated) > 1)
    assert observed_agreement(units).estimate == pytest.approx(naive.observed(rated))


def all_of(units: Sequence[Unit], first: str = "rater0", second: str = "rater1") -> list[Agreement]:
    """Every figure of some units."""
    return [
        observed_agreement(units),
        cohen_kappa(units, first, second),
        fleiss_kappa(units),
        krippendorff_alpha(units),
    ]


def alike(some: list[Agreement], others: list[Agreement]) -> None:
    for one, other in zip(some, others, strict=True):
        assert one == other or (
            one.estimate == other.estimate
            and one.low == pytest.approx(other.low)
            and one.high == pytest.approx(other.high)
            and (one.units, one.raters, one.lack) == (other.units, other.raters, other.lack)
        )


@given(some_units, st.randoms(use_true_random=False))
def test_the_order_of_units_and_raters_changes_nothing(units: list[Unit], dice: object) -> None:
    shuffled = [dict(sorted(unit.items(), reverse=True)) for unit in units]
    dice.shuffle(shuffled)  # type: ignore[attr-defined]  # Hypothesis gives random's
    alike(all_of(units), all_of(shuffled))


@given(some_units)
def test_who_is_called_what_changes_nothing(units: list[Unit]) -> None:
    names = {"rater0": "z", "rater1": "y", "rater2": "x", "rater3": "w"}
    renamed = [{names[rater]: said for rater, said in unit.items()} for unit in units]
    alike(all_of(units), all_of(renamed, "z", "y"))
    alike([cohen_kappa(units, "rater0", "rater1")], [cohen_kappa(units, "rater1", "rater0")])


@given(some_units)
def test_what_the_categories_are_called_changes_nothing(units: list[Unit]) -> None:
    names = dict(zip(CATEGORIES, ("two", "one", "three"), strict=True))
    renamed = [{rater: names[said] for rater, said in unit.items()} for unit in units]
    alike(all_of(units), all_of(renamed))


@given(some_units)
def test_an_order_read_backwards_is_the_same_order(units: list[Unit]) -> None:
    alike([krippendorff_alpha(units, order=ORDER)], [krippendorff_alpha(units, order=ORDER[::-1])])


@given(some_units)
def test_two_categories_have_one_alpha(units: list[Unit]) -> None:
    two = [{rater: said.replace("c", "b") for rater, said in unit.items()} for unit in units]
    alike([krippendorff_alpha(two)], [krippendorff_alpha(two, order=ORDER)])


@given(some_units)
def test_figures_lie_between_their_limits(units: list[Unit]) -> None:
    for found in all_of(units):
        nothing = {"too few units", "one category"}
        assert found.lack in (nothing if found.estimate is None else {None, "no interval"})
        assert (found.low is None) == (found.high is None) == (found.lack is not None)
        if found.estimate is None or found.low is None or found.high is None:
            continue
        assert -1 <= found.low <= found.estimate <= found.high <= 1


@given(st.lists(st.sampled_from(CATEGORIES), min_size=2, max_size=9), st.integers(2, 4))
def test_who_agrees_on_everything_agrees_fully(said: list[str], raters: int) -> None:
    units = of_rows([category * raters for category in said])
    observed, *beyond = all_of(units, "0", "1")
    assert observed.estimate == observed.high == 1
    assert observed.low is not None
    assert 0.3 < observed.low < 1, "a few units prove little"
    expected = (1, "no interval") if len(set(said)) > 1 else (None, "one category")
    assert {(each.estimate, each.lack) for each in beyond} == {expected}


@given(st.lists(st.sampled_from(["ab", "ba", "aa", "bb"]), min_size=2, max_size=12))
def test_the_kappas_and_alpha_of_two_raters_belong_together(said: list[str]) -> None:
    units = of_rows(said)
    cohen, fleiss, alpha = (each.estimate for each in all_of(units, "0", "1")[1:])
    assume(fleiss is not None)
    assert cohen is not None
    assert alpha is not None
    assert fleiss is not None
    ratings = 2 * len(units)
    assert 1 - alpha == pytest.approx((1 - fleiss) * (1 - Fraction(1, ratings)))
    assert cohen >= fleiss - 1e-12


@pytest.mark.parametrize("units", [[], [{}], [{"x": "a", "y": "b"}], [{"x": "a"}, {"y": "b"}]])
def test_fewer_than_two_units_are_too_few(units: list[Unit]) -> None:
    for found in all_of(units, "x", "y"):
        assert (found.estimate, found.low, found.high) == (None, None, None)
        assert found.lack == "too few units"
        assert found.units < 2


def test_cohens_kappa_takes_what_both_have_rated() -> None:
    units: list[Unit] = [{**each, "third": "0"} for each in of_table(GRANTS)]
    alone: list[Unit] = [{"first": "0"}, {"second": "1", "third": "1"}, {}]
    assert cohen_kappa([*units, *alone], "first", "second") == cohen_kappa(
        of_table(GRANTS), "first", "second"
    )


def test_fleiss_kappa_leaves_out_units_rated_less_or_more_often() -> None:
    rows = of_rows(FLEISS_1971)
    found = fleiss_kappa([*rows, *of_rows(["12", "1234", "1", ""])])
    assert found.left_out == 2, "those rated twice at least"
    assert found.estimate == fleiss_kappa(rows).estimate
    tied = fleiss_kappa(of_rows(["aa", "ab", "aaa", "abb"]))
    assert (tied.units, tied.raters, tied.left_out) == (2, 3, 2), "rather those with more ratings"
    lonely = fleiss_kappa(of_rows(["aa", "abc", "aabb"]))
    assert (lonely.lack, lonely.units, lonely.left_out) == ("too few units", 1, 2)
    plain = fleiss_kappa(of_rows(["aaa", "aaa", "ab"]))
    assert (plain.lack, plain.left_out) == ("one category", 1)


def test_a_jackknife_that_runs_out_of_categories_has_no_interval() -> None:
    found = krippendorff_alpha(of_rows(["aa", "aa", "aa", "ab"]))
    assert found.estimate == pytest.approx(0)
    assert (found.low, found.lack) == (None, "no interval")


def test_a_category_that_is_not_in_the_order_is_refused() -> None:
    with pytest.raises(UnknownName, match="Unknown category"):
        krippendorff_alpha(of_rows(["ab", "ax"]), order="abc")


# Votes


def vote(rater: str, verdict: Verdict, opened: Opened = "nothing") -> Vote:
    reason = "twins" if verdict == "cannot tell" else None
    return Vote(rater, Decision(verdict, reason), opened)  # type: ignore[arg-type]  # a reason


def test_a_vote_is_a_side_and_cannot_tell_is_one_by_choice() -> None:
    votes = [
        vote("x", "perhaps the same"),
        vote("y", "surely different"),
        vote("z", "cannot tell"),
    ]
    assert unit_of(votes) == {"x": LINK, "y": NON_LINK}
    assert unit_of(votes, cannot_tell=True) == {"x": LINK, "y": NON_LINK, "z": "cannot tell"}


@pytest.mark.parametrize(
    ("opened", "expected"),
    [
        (("nothing", "nothing"), "nothing"),
        (("nothing", "some"), "some"),
        (("some", "some"), "some"),
        (("nothing", "everything"), "some"),
        (("everything", "everything"), "everything"),
    ],
)
def test_a_pair_is_opened_as_far_as_all_have_opened_it(
    opened: tuple[Opened, ...], expected: Opened
) -> None:
    assert opened_in(vote("x", "surely the same", each) for each in opened) == expected


def test_units_are_grouped_by_any_key() -> None:
    assert grouped(["aa", "b", "cc"], len) == {2: ["aa", "cc"], 1: ["b"]}


def test_couples_have_rated_something_in_common() -> None:
    units = [{"b": "1", "a": "1"}, {"c": "1"}, {"a": "2", "b": "1", "d": "1"}]
    found = couples(units)
    assert list(found) == [("a", "b"), ("a", "d"), ("b", "d")]
    assert found["a", "b"] == [units[0], units[2]]


def test_a_summary_puts_all_of_it_together() -> None:
    same: Verdict = "surely the same"
    other: Verdict = "probably different"
    unsure: Verdict = "cannot tell"
    pairs: list[list[Vote]] = [
        [vote("x", same), vote("y", same)],
        [vote("x", other), vote("y", other)],
        [vote("x", same, "some"), vote("y", other)],
        [vote("x", other, "everything"), vote("z", other, "everything")],
        [vote("x", unsure), vote("y", same), vote("z", same)],
        [vote("x", same)],
        [],
    ]
    found = summary(pairs)
    assert (found.pairs, found.cannot_tell) == (5, 1)
    sides = [unit_of(votes) for votes in pairs]
    assert found.sides == figures(sides)
    assert found.answers == figures(unit_of(votes, cannot_tell=True) for votes in pairs)
    assert found.sides != found.answers
    assert found.answers.fleiss.left_out == 1
    assert [(each.first, each.second) for each in found.of_two] == [
        ("x", "y"),
        ("x", "z"),
        ("y", "z"),
    ]
    assert found.of_two[0] == of_two(sides, "x", "y")
    assert found.of_two[0].observed.estimate == pytest.approx(2 / 3)
    split = dict(found.opened)
    assert list(split) == ["nothing", "some", "everything"]
    assert [each.observed.units for each in split.values()] == [3, 1, 1]
    assert split["nothing"].observed.estimate == 1
    assert split["some"].observed.lack == "too few units"


def test_the_six_steps_are_further_apart_the_less_they_agree() -> None:
    near = [[vote("x", "surely the same"), vote("y", "probably the same")]] * 3
    far = [[vote("x", "surely the same"), vote("y", "surely different")]] * 3
    agreed: list[list[Vote]] = [
        [vote("x", each), vote("y", each), vote("z", "cannot tell")]
        for each in ("surely different", "probably different", "perhaps the same")
    ]
    steps = [summary([*agreed, *more]).steps.estimate for more in (near, far)]
    assert steps[0] is not None
    assert steps[1] is not None
    assert steps[0] > steps[1]
    assert summary(agreed).steps.estimate == 1, "who cannot tell is on none of them"


def test_the_six_steps_have_an_order_beside_their_names() -> None:
    first, second, third, fourth = VERDICTS[:4]
    near = [(first, second), (third, fourth)]
    far = [(first, fourth), (second, third)]
    pairs = [[[vote("x", one), vote("y", other)] for one, other in each] for each in (near, far)]
    alphas = [summary(each).steps.estimate for each in pairs]
    assert alphas[0] is not None
    assert alphas[1] is not None
    assert alphas[0] > 0 > alphas[1], "the same steps, otherwise paired"
