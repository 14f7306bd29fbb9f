"""The nouns: attributes and kinds, levels and states, pairs, and a value that does not print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Final, Literal, get_args

from mindfirl.core.errors import SchemaError, SettingError, UnknownName

Kind = Literal["fixed", "string", "date", "category"]
Level = Literal["masked", "partial", "full"]
Accounting = Literal["paper", "strict"]
DateOrder = Literal["mdy", "dmy", "ymd"]
DateSwap = Literal["digits", "fields"]
Case = Literal["keep", "upper"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
ACCOUNTINGS: Final[tuple[Accounting, ...]] = get_args(Accounting)
DATE_ORDERS: Final[tuple[DateOrder, ...]] = get_args(DateOrder)
DATE_SWAPS: Final[tuple[DateSwap, ...]] = get_args(DateSwap)
CASES: Final[tuple[Case, ...]] = get_args(Case)

MASKED: Final = 0
PARTIAL: Final = 1
FULL: Final = 2
"""Levels as numbers, in their order: positions in :data:`LEVELS`."""

_YEARS: Final = range(1000, 10_000)

Characters = Sequence[str]
"""The user-perceived characters of a value: a text where each is one code point, else a tuple."""

State = Mapping[str, Level]
"""The level of each attribute of a pair; attributes not named are masked."""

Proportion = float | str | Fraction
"""A share written as ``0.4``, ``"2/5"`` or a fraction; read exactly as it is written."""


def one_of(what: str, word: object, allowed: Sequence[str]) -> None:
    """Refuse a word that is none of the allowed ones."""
    if not isinstance(word, str) or word not in allowed:
        raise UnknownName(what, allowed)


def level_number(level: object) -> int:
    """Return the place of a level in the order masked < partial < full."""
    one_of("level", level, LEVELS)
    return LEVELS.index(level)


def check_kappa(kappa: int) -> None:
    """Refuse a smallest anonymity set that is not a whole number of at least 1."""
    if isinstance(kappa, bool) or not isinstance(kappa, int) or kappa < 1:
        raise SettingError("kappa (κ) must be a whole number of at least 1.")


def check_pair_count(pairs: int) -> int:
    """Return a number of pairs; refuse one that is not a whole number of at least 1."""
    if isinstance(pairs, bool) or not isinstance(pairs, int) or pairs < 1:
        raise SettingError("The number of pairs must be a whole number of at least 1.")
    return pairs


def _proportion(name: str, given: Proportion) -> Fraction:
    """Read a share exactly: 0.4 is 2/5, not its nearest binary number."""
    try:
        share = Fraction(str(given))
    except (ValueError, ZeroDivisionError):
        raise SettingError(f"{name} must be a share such as 0.5 or 1/2.") from None
    if share < 0:
        raise SettingError(f"{name} must not be negative.")
    return share


def _is_year(given: object) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and given in _YEARS


class Value:
    """One value of a record. It does not print: showing it is the explicit call :meth:`reveal`."""

    __slots__ = ("_characters",)

    def __init__(self, characters: Characters) -> None:
        self._characters = characters

    def reveal(self) -> Characters:
        """Return the characters themselves, for a place that compares or may show them."""
        return self._characters

    def __len__(self) -> int:
        return len(self._characters)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self._characters == other._characters

    def __hash__(self) -> int:
        return hash(self._characters)

    def __repr__(self) -> str:
        return "<value>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format("<value>", spec)


@dataclass(frozen=True, slots=True)
class Settings:
    """How values are read and compared; the same for every attribute of a schema.

    The three limits say from where on two values are "too different" to show how they differ:
    more edits than this share of the longer string; more than this share of a fixed string; this
    many differing parts (year, month, day) of a date.

    A year of two digits is the latest one that is not after ``latest_year``; without that, a date
    with such a year is unreadable.
    """

    date_order: DateOrder = "mdy"
    date_swap: DateSwap = "digits"
    case: Case = "keep"
    string_limit: Proportion = Fraction(1, 2)
    fixed_limit: Proportion = Fraction(4, 10)
    date_limit: int = 3
    latest_year: int | None = None

    def __post_init__(self) -> None:
        one_of("date order", self.date_order, DATE_ORDERS)
        one_of("date swap style", self.date_swap, DATE_SWAPS)
        one_of("case", self.case, CASES)
        for name in ("string_limit", "fixed_limit"):
            object.__setattr__(self, name, _proportion(name, getattr(self, name)))
        if isinstance(self.date_limit, bool) or self.date_limit not in (1, 2, 3, 4):
            raise SettingError("date_limit must be 1, 2 or 3 parts, or 4 for no limit.")
        if self.latest_year is not None and not _is_year(self.latest_year):
            raise SettingError("latest_year must be a whole number from 1000 to 9999.")

    def too_many(self, kind: Kind, distance: int, length: int) -> bool:
        """Say whether this many edits of the longer value's length are too many to show."""
        limit = self.fixed_limit if kind == "fixed" else self.string_limit
        assert isinstance(limit, Fraction)
        return distance * limit.denominator > limit.numerator * length


@dataclass(frozen=True, slots=True)
class Attribute:
    """A displayed column: its name, its kind, and whether its value's frequency band is shown."""

    name: str
    kind: Kind
    frequency: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise SchemaError("An attribute needs a name.")
        if not isinstance(self.frequency, bool):
            raise SchemaError("Whether an attribute's frequency is shown is true or false.")
        one_of("kind of attribute", self.kind, KINDS)


@dataclass(frozen=True, init=False, slots=True)
class Schema:
    """The displayed attributes, in their order, with the settings and the swap groups."""

    attributes: tuple[Attribute, ...]
    swap_groups: tuple[tuple[str, str], ...]
    settings: Settings

    def __init__(
        self,
        attributes: Iterable[Attribute],
        *,
        swap_groups: Iterable[Sequence[str]] = (),
        date_order: DateOrder = "mdy",
        date_swap: DateSwap = "digits",
        case: Case = "keep",
        string_limit: Proportion = Fraction(1, 2),
        fixed_limit: Proportion = Fraction(4, 10),
        date_limit: int = 3,
        latest_year: int | None = None,
    ) -> None:
        settings = Settings(
            date_order, date_swap, case, string_limit, fixed_limit, date_limit, latest_year
        )
        if not isinstance(attributes, Iterable) or not isinstance(swap_groups, Iterable):
            raise SchemaError("Attributes and swap groups are lists.")
        object.__setattr__(self, "attributes", tuple(attributes))
        object.__setattr__(self, "settings", settings)
        self._check_attributes()
        object.__setattr__(self, "swap_groups", self._checked_groups(swap_groups))

    def _check_attributes(self) -> None:
        if not self.attributes:
            raise SchemaError("A schema needs at least one attribute.")
        if not all(isinstance(attribute, Attribute) for attribute in self.attributes):
            raise SchemaError("A schema is a list of attributes: Attribute(name, kind=…).")
        if len(set(self.names)) < len(self.names):
            raise SchemaError("Two attributes have the same name. Give each a name of its own.")

    def _checked_groups(self, groups: Iterable[Sequence[str]]) -> tuple[tuple[str, str], ...]:
        checked: list[tuple[str, str]] = []
        taken: set[str] = set()
        for group in groups:
            if not _is_group(group):
                raise SchemaError("A swap group is a list of two different attributes.")
            for name in group:
                kind = self.attributes[self.place(name)].kind
                if kind not in ("string", "fixed"):
                    raise SchemaError(
                        f"Only attributes of kind string or fixed can be swapped, not {kind}."
                    )
            if taken & set(group):
                raise SchemaError("An attribute belongs to one swap group at the most.")
            taken |= set(group)
            checked.append((group[0], group[1]))
        return tuple(checked)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes, in their order."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def swaps(self) -> tuple[tuple[int, int], ...]:
        """The swap groups as places of their attributes."""
        return tuple((self.place(first), self.place(second)) for first, second in self.swap_groups)

    def displayed(self, *, date_swap: DateSwap, frequency: bool) -> Schema:
        """Return the schema as displayed: frequencies of the marked attributes, or else of all."""
        every = not any(attribute.frequency for attribute in self.attributes)
        settings = {each.name: getattr(self.settings, each.name) for each in fields(Settings)}
        return Schema(
            [
                replace(attribute, frequency=frequency and (every or attribute.frequency))
                for attribute in self.attributes
            ],
            swap_groups=self.swap_groups,
            **(settings | {"date_swap": date_swap}),
        )

    def place(self, name: object) -> int:
        """Return the position of an attribute, known by its name."""
        for place, attribute in enumerate(self.attributes):
            if attribute.name == name:
                return place
        raise UnknownName("attribute", self.names)


def _is_group(group: object) -> bool:
    names = [*group] if isinstance(group, list | tuple) else []
    return [isinstance(name, str) for name in names] == [True, True] and names[0] != names[1]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two different records of the data set, by position."""

    left: int
    right: int
