"""The short forms of given names."""

from __future__ import annotations

from mindfirl.core.values.short_forms import SHORT_FORMS


def test_short_forms_are_other_names_in_capitals() -> None:
    assert "BILL" in SHORT_FORMS["WILLIAM"].split()
    for name, forms in SHORT_FORMS.items():
        assert forms.split()
        assert name not in forms.split()
        assert (name + forms).isupper()
