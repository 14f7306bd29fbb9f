"""How people decide, read from a file: the one that comes with this software, or one's own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from mindfirl.core.errors import DataError, SettingError, or_list
from mindfirl.core.forecast.habits import Habits

SHIPPED: Final = Path(__file__).parent / "people.toml"

KEYS: Final = tuple(each.name for each in fields(Habits))
TABLES: Final = ("people", "display")
_SEE: Final = "See the file that comes with this software, people.toml."


def read_habits(path: Path | None = None) -> Habits:
    """Read how people decide; what a file leaves out stays at its default."""
    file = path or SHIPPED
    given = _read(file).get("people")
    if not isinstance(given, dict):
        raise _fault(file, "there is no table [people].", _SEE)
    _check_names(given, KEYS, file, "[people]: a name")
    try:
        return Habits(**given)
    except SettingError as error:
        raise _fault(file, f"[people]: {error}", _SEE) from None


def _read(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise _fault(path, "the file does not exist.", "Check the path.") from None
    except OSError:
        raise _fault(path, "the file cannot be opened.", "Check that you may read it.") from None
    except UnicodeDecodeError:
        raise _fault(path, "the text is not UTF-8.", "Save it as UTF-8.") from None
    except (ValueError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        rule = f"line {line[1]} is not TOML." if line else "the file is not TOML."
        raise _fault(path, rule, _SEE) from None
    _check_names(content, TABLES, path, "a table")
    return content


def _check_names(given: Mapping[str, Any], names: Iterable[str], path: Path, what: str) -> None:
    known = tuple(names)
    if not set(given) <= set(known):
        raise _fault(path, f"{what} is not known.", f"Use {or_list(known)}.")


def _fault(path: Path, rule: str, mend: str) -> DataError:
    return DataError(rule, mend, file=path.name)
