"""What is typed before a project is closed, and before its data are destroyed."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.web.accounts.forms import Password
from mindfirl.web.page.fields import reason_field, words

_EXACT: Final = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}


class Shredding(Password):
    """The name of the project and one's own password: nobody does this by mistake."""

    name = words(
        gettext_lazy("Name of the project"), widget=forms.TextInput({**_EXACT, "class": "mono"})
    )
    field_order = ("reason", "name", "password")

    def __init__(self, typed: Any, *, project: str) -> None:  # noqa: ANN401  # what forms are read from
        super().__init__(typed)
        self._project = project
        self.fields["name"].help_text = _("Type %(name)s.") % {"name": project}

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self._project:
            raise forms.ValidationError(
                _("This is not the name of the project. Type %(name)s.") % {"name": self._project}
            )
        return self._project


class Closing(Shredding):
    """The same, and why."""

    reason = reason_field()
