"""What a database may be called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis.strategies import text

from mindfirl.core.errors import SettingError
from mindfirl.engine.schema.database_names import check_database_name, database_name_from


@pytest.mark.parametrize("name", ["", "_x", "-x", "a b", "a/b", "x" * 81, "a\n"])
def test_a_name_that_does_not_fit_is_refused(name: str) -> None:
    with pytest.raises(SettingError, match=r"letter or digit\. Choose another\."):
        check_database_name(name, mend="Choose another.")


@given(text())
def test_any_text_becomes_a_name_that_fits(words: str) -> None:
    check_database_name(database_name_from(words), mend="")
