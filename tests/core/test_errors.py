"""Every error is a sentence that says what happened and what to do."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from mindfirl.core import errors
from mindfirl.core.errors import MindfirlError

ARGUMENTS: dict[str, Any] = {
    "what": "level",
    "allowed": ("masked", "partial", "full"),
    "size": 4,
    "rule": "the file is empty.",
    "mend": "Give another.",
    "number": 3,
    "version": 1,
    "columns": [errors.UnreadableColumn("clinic", "dob", "birth_date", "100%")],
    "role": "manager",
    "difference": "a sum is another",
    "reason": "is missing or was changed",
    "side": "identity",
    "kind": "index",
    "engine": "DuckDB",
    "command": "pip install it",
    "limit": 2_000,
    "fields": {"budget": "Give more than 0%."},
    "state": "paused",
    "database": "clinic",
    "why": "has 12 records, fewer than 50",
    "entries": 5,
    "found": "The plan is another.",
    "pass_mark": 9,
}
SAID_ELSEWHERE = {"MindfirlError", "SchemaError", "SettingError", "AccountError"}
"""Their sentences are written where they are raised."""

CLASSES = [
    each
    for name, each in inspect.getmembers(errors, inspect.isclass)
    if issubclass(each, MindfirlError) and name not in SAID_ELSEWHERE
]


@pytest.mark.parametrize("error", CLASSES, ids=lambda each: each.__name__)
def test_an_error_is_a_whole_sentence(error: type[MindfirlError]) -> None:
    needed = [
        name
        for name, each in inspect.signature(error).parameters.items()
        if each.default is inspect.Parameter.empty
    ]
    said = str(error(*(ARGUMENTS[name] for name in needed)))
    assert said[0].isupper() or issubclass(error, errors.DataError)
    assert said.endswith(".")
    assert "{" not in said
    assert "None" not in said


def test_there_are_errors_to_look_at() -> None:
    assert len(CLASSES) > 15
