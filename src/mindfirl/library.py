"""The front door of the library: what ``import mindfirl`` offers.

Thin: names, defaults and conveniences over :mod:`mindfirl.core`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol, runtime_checkable

from mindfirl.core.display import cells as drawing
from mindfirl.core.display import compare as comparison
from mindfirl.core.errors import SchemaError, SettingError
from mindfirl.core.forecast.frontier import Forecast
from mindfirl.core.population.index import PopulationIndex, build_index
from mindfirl.core.progress import StepProgress, no_step_progress
from mindfirl.core.risk import kapr as scoring
from mindfirl.core.risk.kapr import Display
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import (
    KINDS,
    Accounting,
    Case,
    DateOrder,
    DateSwap,
    Kind,
    Level,
    Pair,
    Proportion,
    Schema,
    Settings,
    State,
    Value,
    level_number,
    one_of,
)
from mindfirl.core.values.standardise import characters, standardise


@runtime_checkable
class ArrowStream(Protocol):
    """Any data frame that hands out an Arrow stream: polars, pandas, pyarrow, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


@dataclass(frozen=True, slots=True)
class Difference:
    """How two values differ, and what a cell with them shows at each level."""

    core: comparison.Difference = field(repr=False)

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels that the cell can be put at."""
        return drawing.offered_levels(self.core)

    @property
    def distance(self) -> int:
        """The number of edits between the two values."""
        return self.core.distance

    @property
    def marks(self) -> tuple[str, ...]:
        """What is marked at every level, such as ``identical`` or ``transposition``."""
        return drawing.marks(self.core)

    def show(self, level: Level) -> tuple[str, str]:
        """Return the two rows as text, at a level."""
        return drawing.cell(self.core, level).text

    def disclosed(self, level: Level) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return, for each row, how many characters a level shows of how many."""
        return drawing.disclosed_characters(self.core, level_number(level))


def compare(
    first: object,
    second: object,
    *,
    kind: Kind,
    date_order: DateOrder = "mdy",
    date_swap: DateSwap = "digits",
    case: Case = "keep",
    string_limit: Proportion = Fraction(1, 2),
    fixed_limit: Proportion = Fraction(4, 10),
    date_limit: int = 3,
    latest_year: int | None = None,
) -> Difference:
    """Compare two raw values of an attribute of a kind."""
    one_of("kind of attribute", kind, KINDS)
    settings = Settings(
        date_order, date_swap, case, string_limit, fixed_limit, date_limit, latest_year
    )
    left, right = (
        Value(characters(standardise(raw, kind, settings), kind, date_order))
        for raw in (first, second)
    )
    return Difference(comparison.compare(kind, left, right, settings))


class Population:
    """All records of a data set, indexed: the crowd in which every record is to stay anonymous."""

    __slots__ = ("index",)

    def __init__(
        self,
        schema: Schema,
        records: Iterable[Mapping[str, object]] | ArrowStream,
        *,
        progress: StepProgress = no_step_progress,
    ) -> None:
        if not isinstance(schema, Schema):
            raise SchemaError("A population needs a schema first, then the records.")
        if isinstance(records, ArrowStream):
            from mindfirl.engine.reading import frames  # noqa: PLC0415  # loads pyarrow, for frames alone

            columns = frames.frame_columns(records, schema.names)
        else:
            columns = raw_columns(schema.names, records)
        self.index: PopulationIndex = build_index(schema, columns, progress=progress)

    def __len__(self) -> int:
        return self.index.size

    def __repr__(self) -> str:
        return f"<Population of {len(self)} records, {len(self.index.columns)} attributes>"

    def pair(self, left: int, right: int) -> Pair:
        """Name two different records by their positions."""
        return self.index.pair(left, right)

    def differences(self, pair: Pair) -> dict[str, Difference]:
        """Compare the two records of a pair, attribute by attribute."""
        found = scoring.view_pair(self.index, pair, {}).differences
        return dict(zip(self.index.schema.names, map(Difference, found), strict=True))

    def k(self, pair: Pair, state: State, *, accounting: Accounting = "paper") -> tuple[int, int]:
        """Return how many records could be the one on each row; cells not named are masked."""
        view = scoring.view_pair(self.index, pair, state)
        first, second = scoring.row_risks(self.index, view, accounting)
        return first.k, second.k

    def prices(
        self,
        pair: Pair,
        state: State,
        *,
        pairs: int,
        kappa: int = 1,
        accounting: Accounting = "paper",
    ) -> dict[tuple[str, Level], Fraction | None]:
        """Return the exact change of K for each next step, in a display of this many pairs.

        None stands for a step that would leave fewer than κ records possible.
        """
        found = scoring.prices(
            self.index, pair, state, pairs=pairs, kappa=kappa, accounting=accounting
        )
        return dict(found.items())

    def charges(
        self, pair: Pair, state: State, *, kappa: int = 1, accounting: Accounting = "paper"
    ) -> dict[tuple[str, Level], int | None]:
        """Return the same steps in the ledger's units: 10⁻⁹ of a row's risk, rounded up."""
        found = scoring.charges(self.index, pair, state, kappa=kappa, accounting=accounting)
        return dict(found.items())

    def forecast(
        self,
        pairs: Iterable[Pair],
        same: Iterable[bool],
        *,
        kappa: int = 1,
        accounting: Accounting = "paper",
    ) -> Forecast:
        """Forecast what budgets buy for pairs of which it is known whether they are the same."""
        from mindfirl.planner import forecasting  # noqa: PLC0415  # loads what learns

        return forecasting.forecast_labelled(
            self.index, list(pairs), list(same), kappa=kappa, accounting=accounting
        )


def _view(index: PopulationIndex, shown: object) -> scoring.View:
    """Compare the records of one item of a display."""
    if not isinstance(shown, tuple) or len(shown) != len(("pair", "state")):
        raise SettingError("A display is a list of (pair, state).")
    return scoring.view_pair(index, *shown)


def kapr(
    population: Population,
    display: Display,
    *,
    kappa: int = 1,
    accounting: Accounting = "paper",
) -> Fraction:
    """Return the k-anonymized privacy risk K of a display: pairs, each in its state."""
    index = population.index
    risks = [
        risk
        for shown in display
        for risk in scoring.row_risks(index, _view(index, shown), accounting)
    ]
    return scoring.score(risks, attributes=len(index.schema.attributes), kappa=kappa)
