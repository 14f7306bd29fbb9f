"""What is typed where reviews are resolved: why a contradiction stands, what linking leaves out."""

from __future__ import annotations

from typing import Any

from django import forms

from mindfirl.web.page.fields import box, reason_field


class AcceptForm(forms.Form):
    """Why a contradiction is let stand; there are several on a page, each under its name."""

    reason = reason_field()

    def __init__(self, typed: Any = None, *, name: str) -> None:  # noqa: ANN401  # as Django reads
        super().__init__(typed, auto_id=f"{name}-%s")


class LinkForm(forms.Form):
    """Whether pairs that nobody settled may count as not linked."""

    unsettled = box("")

    def __init__(self, typed: Any = None, *, label: str) -> None:  # noqa: ANN401  # as Django reads
        super().__init__(typed)
        self.fields["unsettled"].label = label
