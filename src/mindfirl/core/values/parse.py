"""How one value of a column is read: its canonical form, or why it is missing; and what was done.

These are the rules themselves; :mod:`mindfirl.core.values.clean` applies them to whole columns.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Final

from mindfirl.core.values.column_values import Rule
from mindfirl.core.values.dates import is_possible, read_date, read_short_date
from mindfirl.core.values.schema import Kind, Settings
from mindfirl.core.values.standardise import fold_spaces, upper_case

_WORDS: Final = frozenset(
    ["NA", "N/A", "#N/A", "NULL", "NONE", "NAN", "NIL", "UNKNOWN", "-", "--", ".", "?"]
)
_DATES: Final = frozenset(["1900-01-01", "9999-12-31", "9999-99-99", "0000-00-00"])
_NINES, _ZEROS = (rf"{digit}(?:[-./ ]*{digit}){{4,}}" for digit in "90")
_FILLED_UP: Final = re.compile(rf"{_NINES}|{_ZEROS}")
_FILLED_LINES: Final = tuple(re.compile(rf"\n({digits})(?=\n)") for digits in (_NINES, _ZEROS))
"""All nines or all zeros; among lines, one pattern for each digit, which is searched far faster."""


@dataclass(frozen=True, slots=True)
class Placeholders:
    """Texts that stand for a missing value beside the usual ones, and usual ones that do not.

    They are compared in capitals with spaces folded; in a column of dates as the date they are.
    """

    added: frozenset[str] = frozenset()
    exempted: frozenset[str] = frozenset()


def placeholder_key(text: str) -> str:
    """Return what a placeholder is known by: its normal form in capitals, with spaces folded."""
    return upper_case(fold_spaces(unicodedata.normalize("NFC", text)))


@dataclass(frozen=True, slots=True)
class ValueReader:
    """Reads the values of one column, one by one: the rules themselves."""

    kind: Kind
    settings: Settings
    placeholders: frozenset[str] = frozenset()
    exempted: frozenset[str] = frozenset()
    fills_up: bool = False

    @property
    def capitals(self) -> bool:
        """Whether the canonical form is in capitals."""
        return self.kind != "date" and self.settings.case == "upper"

    def knowing(self, given: Placeholders) -> ValueReader:
        """Return the same reader, which also knows the usual and the given placeholders."""
        exempted = frozenset(map(self._key_of, given.exempted))
        usual = _WORDS | _DATES if self.kind == "date" else _WORDS
        known = usual.union(map(self._key_of, given.added)) - exempted
        return replace(self, placeholders=known, exempted=exempted, fills_up=self.kind == "fixed")

    def read(self, text: str) -> tuple[str, list[Rule]]:
        """Return the canonical form of a text, and all rules that were applied."""
        normal = unicodedata.normalize("NFC", text)
        folded = fold_spaces(normal)
        if not folded:
            return "", ["empty"]
        value, rules = self._date(folded) if self.kind == "date" else self._cased(folded)
        if self._stands_for_nothing(upper_case(value or folded)):
            return "", ["placeholder"]
        if not value:
            return "", rules
        changes: dict[Rule, bool] = {"normal form": normal != text, "spaces": folded != normal}
        return value, [*rules, *(rule for rule, applied in changes.items() if applied)]

    def suspects(self, lines: str, capitals: set[str]) -> set[str]:
        """Find, among tidy texts in capitals, also given as lines, all that may not be kept."""
        found = capitals & (self.placeholders | {""})
        if self.fills_up:
            found = found.union(*(pattern.findall(f"\n{lines}\n") for pattern in _FILLED_LINES))
        return found

    def _key_of(self, placeholder: str) -> str:
        """Return what a placeholder is compared by."""
        key = placeholder_key(placeholder)
        return (self._date(key)[0] if self.kind == "date" else "") or key

    def _stands_for_nothing(self, key: str) -> bool:
        if self.fills_up and key not in self.exempted and _FILLED_UP.fullmatch(key):
            return True
        return key in self.placeholders

    def _date(self, text: str) -> tuple[str, list[Rule]]:
        """Read a date; one that cannot be is kept, one without the shape of a date is not."""
        order, latest = self.settings.date_order, self.settings.latest_year
        rules: list[Rule] = []
        value = read_date(text, order)
        if value is None and latest is not None:
            value = read_short_date(text, order, latest)
            rules += ["two-digit year"]
        if value is None:
            return "", ["unreadable"]
        rules += ["date form"] if value != text else []
        rules += [] if is_possible(value) else ["impossible date"]
        return value, rules

    def _cased(self, text: str) -> tuple[str, list[Rule]]:
        value = upper_case(text) if self.capitals else text
        return value, ["case"] if value != text else []
