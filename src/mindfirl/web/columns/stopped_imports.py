"""Columns that an import could hardly read: named, and imported only where somebody says so."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors
from mindfirl.services.columns import Draft
from mindfirl.web.http.access import Request
from mindfirl.web.page.fields import whole_number
from mindfirl.web.page.labels import label
from mindfirl.workspace.commits import read_reason


@dataclass(frozen=True, slots=True)
class UnreadableLine:
    value: str
    database: str
    label: str
    share: str


def unreadable_lines(draft: Draft) -> list[UnreadableLine]:
    return [
        UnreadableLine(
            _value(each.database, each.name), each.database, label(each.name), each.share
        )
        for each in draft.unreadable
    ]


def accepted_columns(request: Request, draft: Draft) -> dict[str, Any] | None:
    """Return which columns are accepted as they were named, and why; nothing if none was asked."""
    if "accept" not in request.POST:
        return None
    if whole_number(request.POST.get("revision", ""), -1) != draft.revision:
        raise ChangedMeanwhile
    ticked = set(request.POST.getlist("unreadable"))
    named = [(each.database, each.name) for each in draft.unreadable]
    if not named or {_value(*each) for each in named} - ticked:
        wrong = _("Not imported: confirm each of the columns, or correct its kind below.")
        raise FieldErrors({"unreadable": wrong})
    return {"columns": named, "reason": read_reason(request.POST.get("reason", ""))}


def sentence_of(error: ChangedMeanwhile | FieldErrors) -> str:
    return " ".join(error.fields.values()) if isinstance(error, FieldErrors) else str(error)


def _value(database: str, name: str) -> str:
    return json.dumps([database, name])
