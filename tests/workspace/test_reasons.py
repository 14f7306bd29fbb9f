"""A reason that a person gives is one to 500 characters, wherever it is asked for."""

from __future__ import annotations

import pytest

from mindfirl.core.errors import FieldErrors
from mindfirl.workspace.commits import LONGEST_REASON, read_reason


@pytest.mark.parametrize("typed", ["x", "x" * LONGEST_REASON, f"  {'x' * LONGEST_REASON}\n"])
def test_a_reason_is_kept_without_spaces_around_it(typed: str) -> None:
    assert read_reason(typed) == typed.strip()


@pytest.mark.parametrize("typed", ["", "  \n", "x" * (LONGEST_REASON + 1), "a\0b"])
def test_what_is_no_reason_is_refused_at_its_field(typed: str) -> None:
    with pytest.raises(FieldErrors) as caught:
        read_reason(typed)
    assert list(caught.value.fields) == ["reason"]
    assert "1 to 500 characters" in caught.value.fields["reason"]
