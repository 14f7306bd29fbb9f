"""The letters and digits of a text, apart from how it is written."""

from __future__ import annotations

import pytest

from mindfirl.core.traces.normal_form import joined


@pytest.mark.parametrize("text", ["P-0017 b", "p0017B", "(P 0017) b", "Ｐ００１７-b", "p.0017:b"])
def test_separators_capitals_and_widths_make_no_difference(text: str) -> None:
    assert joined(text) == "p0017b"
