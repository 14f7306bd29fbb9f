"""What people fill in about accounts: names, passwords, codes."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.web.page.fields import box

_STRONG: Final = gettext_lazy(
    "At least 12 characters. A few unrelated words are easy to remember and hard to guess."
)


def _password(label: object, *, known: bool, hint: object = "") -> forms.CharField:
    """Make a field for a password; browsers keep those that are known apart from new ones."""
    return forms.CharField(
        label=label,  # type: ignore[arg-type]  # a text, translated when it is drawn
        strip=False,
        max_length=1_000,
        help_text=hint,  # type: ignore[arg-type]  # the same
        widget=forms.PasswordInput(
            attrs={"autocomplete": "current-password" if known else "new-password"}
        ),
        error_messages={"required": gettext_lazy("Enter a password.")},
    )


class SignIn(forms.Form):
    username = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=1_000,
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
        error_messages={"required": gettext_lazy("Enter your user name.")},
    )
    password = _password(gettext_lazy("Password"), known=True)


class Code(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=60,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "spellcheck": "false", "class": "mono"}
        ),
        error_messages={"required": gettext_lazy("Enter the code.")},
    )


class Password(forms.Form):
    """A password that somebody knows, asked for before something that matters."""

    password = _password(gettext_lazy("Your password"), known=True)


class NewPassword(forms.Form):
    password = _password(gettext_lazy("New password"), known=False, hint=_STRONG)
    again = _password(gettext_lazy("Repeat password"), known=False)

    def clean(self) -> dict[str, Any]:
        return _same(self, "password")


class ChangedPassword(forms.Form):
    old_password = _password(gettext_lazy("Current password"), known=True)
    new_password = _password(gettext_lazy("New password"), known=False, hint=_STRONG)
    again = _password(gettext_lazy("Repeat password"), known=False)

    def clean(self) -> dict[str, Any]:
        return _same(self, "new_password")


class Rights(forms.Form):
    """What can be changed of an account at any time."""

    full_name = forms.CharField(
        label=gettext_lazy("Full name"),
        required=False,
        max_length=1_000,
        help_text=gettext_lazy("Shown on pages instead of the user name. Optional."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    creates_projects = box(gettext_lazy("Can create projects"))
    administrator = box(gettext_lazy("Administrator: can manage accounts"))


class NewAccount(Rights):
    username = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=1_000,
        help_text=gettext_lazy("An e-mail address, or another name without spaces."),
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
        error_messages={"required": gettext_lazy("Enter a user name.")},
    )
    field_order = ("username", "full_name", "creates_projects", "administrator")


def _same(form: forms.Form, name: str) -> dict[str, Any]:
    filled: dict[str, Any] = form.cleaned_data
    if name in filled and "again" in filled and filled[name] != filled["again"]:
        form.add_error("again", _("The two passwords differ. Enter both again."))
    return filled
