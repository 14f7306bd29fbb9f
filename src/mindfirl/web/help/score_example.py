"""The score on four records, to play with: the page's address says which cells are open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mindfirl.core.display import cells as drawing
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk import kapr
from mindfirl.core.risk.attackers import Attackers, attackers, record_risks, union_score
from mindfirl.core.risk.worked_example import SCHEMA, worked_example
from mindfirl.core.values.schema import LEVELS, Level, Pair, State

KAPPAS: Final = (1, 2)
_CELLS: Final = len(SCHEMA.names)
_SIZE: Final = 6 * _CELLS
_MASKED: Final = "0"
_LEVELS: Final = {str(number): level for number, level in enumerate(LEVELS)}
_LEVEL_WORDS: Final[dict[Level, Any]] = {
    "masked": lambda: _("masked"),
    "partial": lambda: _("partial"),
    "full": lambda: _("full"),
}


@dataclass(frozen=True, slots=True)
class ExampleCell:
    """What a cell shows on both rows, and the state to which a click leads; none if refused."""

    key: str
    attribute: str
    rows: tuple[str, str]
    next_state: str
    action: str


@dataclass(frozen=True, slots=True)
class ExamplePair:
    number: int
    records: tuple[int, int]
    cells: list[ExampleCell]
    k: tuple[int, int]
    adds: tuple[str, str]


@dataclass(frozen=True, slots=True)
class AttackerFigure:
    name: str
    figure: str
    meaning: str


@dataclass(frozen=True, slots=True)
class ScoreExample:
    example_pairs: list[ExamplePair]
    attributes: tuple[str, ...]
    total: str
    fraction: str
    state: str
    kappa: int
    kappas: tuple[int, ...]
    whole_states: list[tuple[str, str]]
    attacker_figures: list[AttackerFigure]


def score_example(state: str, kappa: str) -> ScoreExample:
    """Show the example in a state; one that cannot be read is all masked, at κ = 1."""
    floor = int(kappa) if kappa in map(str, KAPPAS) else KAPPAS[0]
    read = state if len(state) == _SIZE and set(state) <= _LEVELS.keys() else _MASKED * _SIZE
    index, pairs = _example()
    views = [kapr.view_pair(index, pair, _state(read, place)) for place, pair in enumerate(pairs)]
    risks = [kapr.row_risks(index, view, "paper") for view in views]
    rows = [risk for each in risks for risk in each]
    total = kapr.score(rows, attributes=_CELLS, kappa=floor)
    records = record_risks(index, views, "paper")
    return ScoreExample(
        example_pairs=[
            ExamplePair(
                place + 1,
                (pair.left + 1, pair.right + 1),
                list(_cells(index, read, place, floor)),
                (risks[place][0].k, risks[place][1].k),
                (_added(risks[place][0], floor), _added(risks[place][1], floor)),
            )
            for place, pair in enumerate(pairs)
        ],
        attributes=(_("Name"), _("Date of birth"), _("Race")),
        total=_percent(total),
        fraction=str(total),
        state=read,
        kappa=floor,
        kappas=KAPPAS,
        whole_states=[
            (_("All masked"), _MASKED * _SIZE),
            *([(_("All partial"), _whole("partial")), (_("All full"), _whole("full"))])
            * (floor == 1),
        ],
        attacker_figures=_figures(
            attackers(rows, records.values()),
            union_score(views, records, attributes=_CELLS, kappa=floor),
        ),
    )


@cache
def _example() -> tuple[PopulationIndex, tuple[Pair, ...]]:
    return worked_example()


def _state(text: str, place: int) -> State:
    levels = text[place * _CELLS : (place + 1) * _CELLS]
    return {name: _LEVELS[each] for name, each in zip(SCHEMA.names, levels, strict=True)}


def _whole(level: Level) -> str:
    return str(LEVELS.index(level)) * _SIZE


def _cells(index: PopulationIndex, text: str, place: int, kappa: int) -> Iterator[ExampleCell]:
    pair, state = _example()[1][place], _state(text, place)
    pairs = len(_example()[1])
    prices = kapr.prices(index, pair, state, pairs=pairs, kappa=kappa, accounting="paper")
    differences = kapr.view_pair(index, pair, state).differences
    for column, (name, difference) in enumerate(zip(SCHEMA.names, differences, strict=True)):
        level, at = state[name], place * _CELLS + column
        following = _following(drawing.offered_levels(difference), level)
        price = prices.get(kapr.Step(name, following), Fraction(0))
        yield ExampleCell(
            key=f"{place + 1}-{column + 1}",
            attribute=name,
            rows=drawing.cell(difference, level).text,
            next_state=""
            if price is None
            else text[:at] + str(LEVELS.index(following)) + text[at + 1 :],
            action=_action(following, price),
        )


def _following(offered: Sequence[Level], level: Level) -> Level:
    """Return the next level of a cell; after the last one it is masked again."""
    higher = [each for each in offered if LEVELS.index(each) > LEVELS.index(level)]
    return higher[0] if higher else LEVELS[0]


def _action(following: Level, price: Fraction | None) -> str:
    if price is None:
        return _("refused: fewer than κ records would be left")
    if following == LEVELS[0]:
        return _("mask again")
    words = {"level": _LEVEL_WORDS[following](), "price": _percent(price)}
    return _("open %(level)s: +%(price)s") % words


def _added(risk: kapr.Risk, kappa: int) -> str:
    rows = 2 * len(_example()[1]) * _CELLS
    return _percent(kappa * risk.exact(kappa) / rows)


def _percent(share: Fraction) -> str:
    return f"{number_format(f'{float(share) * 100:.2f}')}%"


def _figures(found: Attackers, union: Fraction) -> list[AttackerFigure]:
    shown = found.records_shown
    expected = number_format(f"{float(found.reidentifications):.2f}".rstrip("0").rstrip("."))
    return [
        AttackerFigure(
            _("Prosecutor"),
            _percent(found.prosecutor),
            _("1/k of the row that is easiest to find: the chance to recognise the person on it."),
        ),
        AttackerFigure(
            _("Marketer"),
            _percent(found.marketer),
            _("The mean of 1/k over all rows: the chance to recognise somebody picked at random."),
        ),
        AttackerFigure(
            _("Singled out"), _percent(found.unique_rows), _("Rows that fit one record only.")
        ),
        AttackerFigure(
            _("Expected re-identifications"),
            ngettext("%(expected)s of %(shown)s record", "%(expected)s of %(shown)s records", shown)
            % {"expected": expected, "shown": shown},
            _(
                "Records of which a character is shown, each counted with the chance to recognise "
                "it from all its rows together."
            ),
        ),
        AttackerFigure(
            _("K over all rows of a record"),
            _percent(union),
            _("The score if a reader puts together the three rows on which each record is shown."),
        ),
    ]
