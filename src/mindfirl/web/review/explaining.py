"""What the weight of a pair is made of, for an adjudicator who asks."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.services.review import disclosure
from mindfirl.store.queries.reviews import tokens_of
from mindfirl.web.http.access import Request
from mindfirl.web.review.views import back, everywhere, not_understood
from mindfirl.web.review.votes_page import drawn_beside


def review_explain(request: Request) -> HttpResponse:
    """Tell an adjudicator what the weight of a pair is made of; the ledger notes that."""
    token, mine = request.POST.get("pair", ""), request.assignment
    if not token:
        raise not_understood()
    number = disclosure.explain_weight(
        account=request.account, assignment=mine, token=token, now=timezone.now()
    )
    if not request.htmx:
        return back(request, token)
    beside = drawn_beside(request.account, mine, [number], tokens_of(mine))
    context = {
        **everywhere(request),
        "explained": True,
        "pair": {"token": token, "width": len(mine.attributes) + 1, **beside[number]},
        "told": _("Explained."),
    }
    return render(request, "review/update.html", context)
