"""Where a reviewer is in an assignment: its pairs in their order, and those on a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from mindfirl.services.review import decisions
from mindfirl.store.queries.reviews import tokens_of
from mindfirl.web.http.access import Request
from mindfirl.web.review.posted import whole_number

SIZES: Final = (10, 20, 50)
_USUAL: Final = 20


@dataclass(frozen=True, slots=True)
class PagesPart:
    """The pages that are linked, and the sizes that a page can have, with their addresses."""

    page: int
    pages: list[tuple[int, str]]
    sizes: list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Position:
    tokens: dict[int, str]
    decided: dict[int, decisions.Decided]
    size: int
    page: int

    @classmethod
    def of(cls, request: Request, token: str = "") -> Position:
        """Find the page that is asked for, that of a pair, or that of the first undecided one."""
        tokens = tokens_of(request.assignment)
        decided = decisions.decisions_of(request.assignment)
        size = page_size(request)
        places = {each: place for place, each in enumerate(tokens.values())}
        undecided = (place for place, each in enumerate(tokens) if each not in decided)
        there = places.get(token, next(undecided, 0)) // size + 1
        asked = there if token else asked_number(request, "page", there)
        last = max(1, -(-len(tokens) // size))
        return cls(tokens, decided, size, min(max(asked, 1), last))

    @property
    def numbers(self) -> list[int]:
        """The numbers of the pairs on the page."""
        return list(self.tokens)[(self.page - 1) * self.size : self.page * self.size]

    def after(self, number: int) -> str:
        """Return the token of the next undecided pair after a number, from the first on again."""
        left = [each for each in self.tokens if each not in self.decided]
        chosen = next((each for each in left if each > number), left[0] if left else 0)
        return self.tokens.get(chosen, "")

    def pages_part(self, review: str) -> PagesPart:
        """Link the first page, the last, and those around this one."""
        last = max(1, -(-len(self.tokens) // self.size))
        wanted = {1, last, *range(self.page - 2, self.page + 3)}

        def address(**parts: int) -> str:
            return f"{review}?{urlencode({'page': self.page, 'size': self.size, **parts})}"

        return PagesPart(
            page=self.page,
            pages=[(each, address(page=each)) for each in sorted(wanted) if 1 <= each <= last],
            sizes=[(size, address(size=size, page=1)) for size in SIZES],
        )


def page_size(request: Request) -> int:
    size = asked_number(request, "size", _USUAL)
    return size if size in SIZES else _USUAL


def asked_number(request: Request, name: str, default: int) -> int:
    found = whole_number(request.GET.get(name, ""))
    return default if found is None else found


def back_to_pair(request: Request, token: str) -> HttpResponse:
    """Go back to a pair, on the page that it is on."""
    address = reverse("review", args=[request.assignment.pk])
    if token not in tokens_of(request.assignment).values():
        return redirect(address)
    asked = urlencode({"pair": token, "size": page_size(request)})
    return redirect(f"{address}?{asked}#pair-{token}")
