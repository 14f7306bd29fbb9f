"""Weights moved as decisions say, or brought back."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from mindfirl.core.errors import Busy, ChangedMeanwhile, SettingError
from mindfirl.services import weight_learning as learning
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import words_of
from mindfirl.web.page.steps import to_page


def pairs_learning(request: Request) -> HttpResponse:
    undone = request.POST.get("then") == "undo"
    change = learning.undo if undone else learning.apply_proposal
    try:
        change(project=request.project, actor=request.actor, seen=request.POST.get("seen", ""))
    except (ChangedMeanwhile, Busy, SettingError) as error:
        return to_page(request, "pairs", wrong=words_of(error))
    done = _("The model's match weights are restored.") if undone else _("Match weights adjusted.")
    return to_page(request, "pairs", done=done)
