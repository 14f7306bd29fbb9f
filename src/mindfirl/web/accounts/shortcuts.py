"""One's own keys of the review screen: others chosen, or the usual ones again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.errors import FieldErrors
from mindfirl.core.review.decisions import USUAL, keys_of
from mindfirl.services.review.shortcuts import choose_keys, switch_keys, usual_keys
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page, status_for

_WORDS: Final = {
    "surely different": gettext_lazy("Surely different"),
    "probably different": gettext_lazy("Probably different"),
    "perhaps different": gettext_lazy("Perhaps different"),
    "perhaps the same": gettext_lazy("Perhaps the same"),
    "probably the same": gettext_lazy("Probably the same"),
    "surely the same": gettext_lazy("Surely the same"),
    "cannot tell": gettext_lazy("Cannot tell"),
    "twins": gettext_lazy("Cannot tell: twins"),
    "needs expert": gettext_lazy("Cannot tell: needs an expert"),
    "bad data": gettext_lazy("Cannot tell: bad data"),
    "undo": gettext_lazy("Undo the decision"),
    "comment": gettext_lazy("Comment"),
    "open differences": gettext_lazy("Open all differences of the pair"),
    "open everything": gettext_lazy("Open everything of the pair"),
    "next undecided": gettext_lazy("The next undecided pair"),
    "suggested": gettext_lazy("The suggested cell"),
    "legend": gettext_lazy("Legend"),
    "guidance": gettext_lazy("Guidance"),
    "all keys": gettext_lazy("All keys"),
}


@dataclass(frozen=True, slots=True)
class ShortcutRow:
    field: str
    words: Any
    key: str
    usual: str
    wrong: str
    first: bool


@dataclass(frozen=True, slots=True)
class ShortcutsPage:
    rows: list[ShortcutRow]
    single_keys: bool
    wrong: bool


def account_shortcuts(request: Request) -> HttpResponse:
    if request.method != "POST":
        return _page(request, keys_of(request.account.review_keys), {})
    if "usual" in request.POST:
        usual_keys(account=request.account)
        messages.success(request, _("The usual keys are back."))
        return redirect("account-shortcuts")
    typed = {action: request.POST.get(_field(action), "") for action in USUAL}
    try:
        choose_keys(account=request.account, typed=typed)
    except FieldErrors as error:
        return _page(request, typed, error.fields)
    switch_keys(account=request.account, on="single_keys" in request.POST)
    messages.success(request, _("Your keys are saved."))
    return redirect("account-shortcuts")


def _page(request: Request, keys: Mapping[str, str], wrong: Mapping[str, str]) -> HttpResponse:
    first = next(iter(wrong), "")
    rows = [
        ShortcutRow(
            field=_field(action),
            words=words,
            key=keys[action],
            usual=USUAL[action],
            wrong=wrong.get(action, ""),
            first=action == first,
        )
        for action, words in _WORDS.items()
    ]
    single_keys = "single_keys" in request.POST if wrong else request.account.single_keys
    shown = ShortcutsPage(rows, single_keys, wrong=bool(wrong))
    return page(request, "accounts/shortcuts.html", shown, status=status_for(wrong))


def _field(action: str) -> str:
    return f"key-{action.replace(' ', '-')}"
