"""Papers that others ask of a project: a list, each to read, and as files to edit."""

from __future__ import annotations

from typing import Final

from django.http import Http404, HttpResponse

from mindfirl.core.errors import SettingError
from mindfirl.web.http.access import Request
from mindfirl.web.page.markdown_html import MARKDOWN
from mindfirl.web.page.steps import step_page
from mindfirl.web.report import open_document
from mindfirl.web.report.papers import (
    PAPERS,
    TO_WRITE,
    PaperKind,
    paper_kind,
    passages_to_write,
    write_paper,
)

FORMATS: Final = {"odt": open_document.MEDIA_TYPE, "md": "text/markdown; charset=utf-8"}


def report_papers(request: Request) -> HttpResponse:
    return step_page(
        request,
        "",
        template="report/papers.html",
        papers=PAPERS,
        shredded=request.project.shredded,
    )


def report_paper(request: Request, paper: str) -> HttpResponse:
    kind = _kind(paper)
    text = write_paper(kind, project=request.project, actor=request.actor)
    return step_page(
        request,
        "",
        template="report/paper.html",
        paper=kind,
        html=_with_marks(MARKDOWN.render(text)),
        to_write=passages_to_write(text),
    )


def report_paper_file(request: Request, paper: str, ending: str) -> HttpResponse:
    kind = _kind(paper)
    if ending not in FORMATS:
        raise Http404
    text = write_paper(kind, project=request.project, actor=request.actor)
    return HttpResponse(
        paper_file(text, ending),
        content_type=FORMATS[ending],
        headers={
            "Content-Disposition": f'attachment; filename="{request.project.name}-{paper}.{ending}"'
        },
    )


def paper_file(text: str, ending: str) -> bytes:
    if ending == "odt":
        return open_document.open_document(text, highlighted=TO_WRITE)
    return text.encode()


def _with_marks(html: str) -> str:
    return html.replace(f"<strong>{TO_WRITE}", f'<strong class="write">{TO_WRITE}')


def _kind(paper: str) -> PaperKind:
    try:
        return paper_kind(paper)
    except SettingError:
        raise Http404 from None
