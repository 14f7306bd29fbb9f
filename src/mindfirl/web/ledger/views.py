"""The ledger as auditors and managers see it: its entries, whether it holds, receipts, a copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, cast
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mindfirl.core.errors import LedgerBroken, LedgerDiffers, ReceiptBroken
from mindfirl.core.ledger.events import EVENTS
from mindfirl.services import ledger as audit
from mindfirl.store.models import Assignment, SignedHead
from mindfirl.store.queries.entries import (
    EntriesPage,
    assignments_by_number,
    entries_page,
    people_of,
)
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.ledger.entries_page import (
    EntryRow,
    EntryWords,
    assignment_choices,
    entry_rows,
    kinds,
)
from mindfirl.web.page.figures import count
from mindfirl.web.page.steps import steps_beside

_LARGEST: Final = 1 << 16
"""No receipt has so many bytes."""


@dataclass(frozen=True, slots=True)
class LedgerPage:
    entries: list[EntryRow]
    page: EntriesPage
    total: str
    chosen_assignment: str
    chosen_kind: str
    kinds: dict[str, Any]
    assignments: list[tuple[str, str]]
    newer: str
    older: str
    last: SignedHead | None
    wrong: str


def ledger(request: Request) -> HttpResponse:
    return _page(request)


def ledger_verify(request: Request) -> HttpResponse:
    try:
        found = audit.verify_project(project=request.project, actor=request.actor)
    except (LedgerBroken, LedgerDiffers) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _holds(found))
    return redirect("ledger", request.project.name)


def ledger_file(request: Request) -> HttpResponse:
    answer = StreamingHttpResponse(
        audit.ledger_file(project=request.project, actor=request.actor),
        content_type="text/plain; charset=us-ascii",
        headers=_as_file(f"ledger-{request.project.name}.txt"),
    )
    return cast("HttpResponse", answer)


def ledger_receipt(request: Request) -> HttpResponse:
    try:
        taken = audit.take_receipt(project=request.project, actor=request.actor)
    except LedgerBroken as error:
        messages.error(request, str(error))
        return redirect("ledger", request.project.name)
    name = f"receipt-{request.project.name}-{taken.entries}.json"
    return HttpResponse(
        f"{taken.line()}\n", content_type="application/json", headers=_as_file(name)
    )


def ledger_receipt_check(request: Request) -> HttpResponse:
    sent = request.FILES.get("receipt")
    if sent is None or (sent.size or 0) > _LARGEST:
        return _page(request, wrong=_("Choose a receipt first: a small file that was taken here."))
    about: dict[str, Any] = {"project": request.project, "actor": request.actor}
    try:
        text = sent.read().decode("ascii", errors="replace")
        taken, found = audit.check_receipt(text=text, **about)
    except ReceiptBroken as error:
        return _page(request, wrong=str(error))
    except (LedgerBroken, LedgerDiffers) as error:
        messages.error(request, _("The receipt does not fit. ") + str(error))
    else:
        words = _("The receipt of %(at)s fits: its %(entries)s entries are what they were.")
        fits = words % {"at": taken.at, "entries": count(taken.entries)}
        messages.success(request, f"{fits} {_holds(found)}")
    return redirect("ledger", request.project.name)


def _page(request: Request, *, wrong: str = "") -> HttpResponse:
    assignments = assignments_by_number(request.project)
    words = EntryWords(people_of(request.project, assignments), assignments)
    chosen = _chosen(request, assignments)
    found = entries_page(request.project, page=request.GET.get("page", "1"), **chosen)
    shown = LedgerPage(
        entries=entry_rows(found, words),
        page=found,
        total=count(found.total),
        chosen_assignment=str(chosen["assignment"] or ""),
        chosen_kind=chosen["kind"],
        kinds=kinds(),
        assignments=assignment_choices(words),
        newer=_address(request, found, -1),
        older=_address(request, found, +1),
        last=request.project.signed_heads.order_by("-pk").first(),
        wrong=wrong,
    )
    status = status_for(wrong)
    return page(request, "ledger/page.html", steps_beside(request), shown, status=status)


def _chosen(request: Request, assignments: list[Assignment]) -> dict[str, Any]:
    known: dict[str, UUID] = {str(each.pk): each.pk for each in assignments}
    kind = request.GET.get("kind", "")
    return {
        "assignment": known.get(request.GET.get("assignment", "")),
        "kind": kind if kind in EVENTS else "",
    }


def _address(request: Request, shown: EntriesPage, step: int) -> str:
    if not 1 <= shown.page + step <= shown.pages:
        return ""
    query = request.GET.copy()
    query["page"] = str(shown.page + step)
    return f"{reverse('ledger', args=[request.project.name])}?{query.urlencode()}"


def _holds(found: audit.Verified) -> str:
    signed = found.signed + found.signed_by_others
    heads = ngettext("%(n)s signed head", "%(n)s signed heads", signed) % {"n": count(signed)}
    words = ngettext(
        "The ledger holds: its %(entries)s entry keeps the rules, and fits %(heads)s. "
        "Head: %(digest)s",
        "The ledger holds: all %(entries)s entries are chained, keep the rules, and fit %(heads)s. "
        "Head: %(digest)s",
        found.head.entries,
    )
    about = {"entries": count(found.head.entries), "heads": heads}
    return words % {**about, "digest": found.head.digest}


def _as_file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
