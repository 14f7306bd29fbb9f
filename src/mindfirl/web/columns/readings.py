"""How each file that waits was read, and what it can be read as instead; never a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.errors import Busy, DataError, SettingError
from mindfirl.engine.reading.file_options import DELIMITERS, ENCODINGS, FileOptions
from mindfirl.services.data import uploads as service
from mindfirl.store.models import Upload
from mindfirl.web.data.views import analyse_columns
from mindfirl.web.http.access import Request
from mindfirl.web.page.steps import to_page

_LABELS: Final = {
    "utf-8": gettext_lazy("UTF-8"),
    "utf-16": gettext_lazy("UTF-16"),
    "windows-1252": gettext_lazy("Windows-1252, Western Europe"),
    "windows-1250": gettext_lazy("Windows-1250, Central Europe"),
    "windows-1251": gettext_lazy("Windows-1251, Cyrillic"),
    "windows-1253": gettext_lazy("Windows-1253, Greek"),
    "windows-1254": gettext_lazy("Windows-1254, Turkish"),
    "windows-1257": gettext_lazy("Windows-1257, Baltic"),
    "iso-8859-1": gettext_lazy("ISO 8859-1, Western Europe"),
    "iso-8859-2": gettext_lazy("ISO 8859-2, Central Europe"),
    "iso-8859-15": gettext_lazy("ISO 8859-15, Western Europe with €"),
    "mac-roman": gettext_lazy("Mac Roman"),
    "cp437": gettext_lazy("DOS 437, United States"),
    "cp850": gettext_lazy("DOS 850, Western Europe"),
    "cp852": gettext_lazy("DOS 852, Central Europe"),
    "comma": gettext_lazy("commas"),
    "semicolon": gettext_lazy("semicolons"),
    "tab": gettext_lazy("tabs"),
    "bar": gettext_lazy("bars"),
}

Options = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class ReadingLine:
    """A file that waits, as it was read: what is offered instead depends on what it is."""

    upload: Upload
    encoding: Any
    delimiter: Any
    sheet: str
    encodings: Options
    delimiters: Options
    sheets: tuple[str, ...]
    read: bool


def reading_lines(waiting: Sequence[Upload]) -> list[ReadingLine]:
    return [_line(each) for each in waiting]


def _line(upload: Upload) -> ReadingLine:
    reading: Mapping[str, Any] = upload.reading
    is_text = reading.get("format") == "text"
    return ReadingLine(
        upload=upload,
        encoding=_LABELS.get(reading.get("encoding", ""), ""),
        delimiter=_LABELS.get(reading.get("delimiter", ""), ""),
        sheet=reading.get("sheet", ""),
        encodings=_offered(ENCODINGS) if is_text else (),
        delimiters=_offered(DELIMITERS) if is_text else (),
        sheets=tuple(reading.get("sheets", ())),
        read=bool(reading),
    )


def _offered(known: Mapping[str, str]) -> Options:
    return (("", _("detect")), *((name, _LABELS[name]) for name in known))


def data_upload_reading(request: Request, upload: UUID) -> HttpResponse:
    """Read a file again as somebody says; it is not uploaded again."""
    found = get_object_or_404(request.project.uploads, pk=upload)
    try:
        service.change_reading(
            project=request.project,
            actor=request.actor,
            upload=found.pk,
            database=request.POST.get("database", "").strip(),
            options=FileOptions(
                request.POST.get("encoding", ""),
                request.POST.get("delimiter", ""),
                request.POST.get("sheet", ""),
            ),
        )
    except (Busy, DataError, SettingError) as error:
        return to_page(request, "columns", wrong=str(error))
    analyse_columns(request)
    return redirect("columns", request.project.name)
