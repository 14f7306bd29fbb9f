"""Pages of the manual, whole or beside the work."""

from __future__ import annotations

from django.http import Http404, HttpResponse

from mindfirl.web.help.manual import START, ManualPage, image_path, manual_page, page_names
from mindfirl.web.help.score_example import score_example
from mindfirl.web.help.search import search
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import PageObject, page


def help_index(request: Request) -> HttpResponse:
    return help_page(request, START)


def help_page(request: Request, chapter: str) -> HttpResponse:
    try:
        shown = manual_page(chapter)
    except KeyError:
        raise Http404 from None
    return _drawn(request, "page", shown=shown)


def help_search(request: Request) -> HttpResponse:
    return _drawn(request, "search", words=request.GET.get("q", "").strip())


def help_score(request: Request) -> HttpResponse:
    """Draw the example of the score in the state that the address names."""
    state, kappa = (request.GET.get(name, "") for name in ("state", "kappa"))
    return _drawn(request, "score", score_example(state, kappa))


def help_image(_request: Request, image: str) -> HttpResponse:
    path = image_path(image)
    if path is None:
        raise Http404
    return HttpResponse(path.read_bytes(), content_type="image/png")


def _drawn(
    request: Request,
    template: str,
    *parts: PageObject,
    shown: ManualPage | None = None,
    words: str = "",
) -> HttpResponse:
    """Draw a page of the manual, or its text alone where it is shown beside the work."""
    return page(
        request,
        "help/beside.html" if request.htmx else "help/whole.html",
        *parts,
        content=f"help/{template}.html",
        contents=[manual_page(name) for name in page_names()],
        shown=shown,
        words=words,
        results=search(words),
    )
