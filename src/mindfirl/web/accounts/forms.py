"""What people fill in about accounts: names, passwords, codes."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.web.page.fields import box

_STRONG: Final = gettext_lazy(
    "At least 12 characters. A few words that have nothing to do with each other are easy to "
    "remember and hard to guess."
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
        error_messages={"required": gettext_lazy("Type a password.")},
    )


class SignIn(forms.Form):
    username = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=1_000,
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
        error_messages={"required": gettext_lazy("Type the name you sign in with.")},
    )
    password = _password(gettext_lazy("Password"), known=True)


class Code(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=60,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "spellcheck": "false", "class": "mono"}
        ),
        error_messages={"required": gettext_lazy("Type the code.")},
    )


class Password(forms.Form):
    """A password that somebody knows, asked for before something that matters."""

    password = _password(gettext_lazy("Your password"), known=True)


class NewPassword(forms.Form):
    password = _password(gettext_lazy("New password"), known=False, hint=_STRONG)
    again = _password(gettext_lazy("The same again"), known=False)

    def clean(self) -> dict[str, Any]:
        return _same(self, "password")


class ChangedPassword(forms.Form):
    old_password = _password(gettext_lazy("Password until now"), known=True)
    new_password = _password(gettext_lazy("New password"), known=False, hint=_STRONG)
    again = _password(gettext_lazy("The same again"), known=False)

    def clean(self) -> dict[str, Any]:
        return _same(self, "new_password")


class NewAccount(forms.Form):
    username = forms.CharField(
        label=gettext_lazy("Name to sign in with"),
        max_length=1_000,
        help_text=gettext_lazy("An e-mail address, or any other name without spaces."),
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
        error_messages={"required": gettext_lazy("Give the account a name.")},
    )
    full_name = forms.CharField(
        label=gettext_lazy("Full name"),
        required=False,
        max_length=1_000,
        help_text=gettext_lazy("How pages name this person; may be left empty."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    creates_projects = box(gettext_lazy("May create projects"))
    administrator = box(gettext_lazy("Administrator: may manage accounts"))


def _same(form: forms.Form, name: str) -> dict[str, Any]:
    filled: dict[str, Any] = form.cleaned_data
    if name in filled and "again" in filled and filled[name] != filled["again"]:
        form.add_error("again", _("This is not the same as above. Type both again."))
    return filled
