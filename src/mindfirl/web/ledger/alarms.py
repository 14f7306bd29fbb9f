"""Projects that were changed from outside, as an administrator sees and acknowledges them."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from mindfirl.core.errors import FieldErrors
from mindfirl.services import ledger as audit
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import field_words
from mindfirl.web.http.pages import page, status_for


def alarms(request: Request) -> HttpResponse:
    found = audit.alarms(actor=request.actor)
    wrong = ""
    if request.method == "POST":
        named = {str(each.pk): each for each, _found in found}
        project = named.get(request.POST.get("project", ""))
        wrong = _("Choose a project that was changed outside this software.")
        if project is not None:
            reason = request.POST.get("reason", "")
            try:
                audit.acknowledge(project=project, actor=request.actor, reason=reason)
            except FieldErrors as errors:
                wrong = field_words(errors)["reason"]
            else:
                return redirect("alarms")
    return page(request, "ledger/alarms.html", found=found, wrong=wrong, status=status_for(wrong))
