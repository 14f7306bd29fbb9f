"""What the review screen is asked for: a decision, a step, a page of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from mindfirl.core.errors import SettingError
from mindfirl.core.review.decisions import Decision
from mindfirl.core.risk.kapr import Step
from mindfirl.services.review import decisions
from mindfirl.store.queries.reviews import tokens_of
from mindfirl.web.http.access import Request
from mindfirl.web.page.fields import whole_number


def posted_decision(request: Request) -> Decision | None:
    """Return the decision that was sent; none where one is undone."""
    if "decision" not in request.POST:
        raise incomplete()
    verdict, _between, reason = request.POST["decision"].partition(":")
    return Decision(verdict, reason or None) if verdict else None  # type: ignore[arg-type]  # checks itself


def posted_step(request: Request) -> Step:
    text = request.POST.get("step", "")
    if not text.partition(":")[2]:
        raise incomplete()
    return Step.parse(text)


def posted_row(request: Request) -> Step:
    if not request.POST.get("level"):
        raise incomplete()
    return Step.parse(request.POST["level"])


def posted_number(request: Request, name: str) -> int:
    found = whole_number(request.POST.get(name, ""), -1)
    if found < 0:
        raise incomplete()
    return found


def incomplete() -> SettingError:
    return SettingError("What was sent was not complete. Reload the page, and try again.")


SIZES: Final = (10, 20, 50)
_USUAL: Final = 20


@dataclass(frozen=True, slots=True)
class PagesPart:
    page: int
    pages: list[tuple[int, str]]
    sizes: list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Position:
    tokens: dict[int, str]
    decided: dict[int, decisions.PairDecision]
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
        return list(self.tokens)[(self.page - 1) * self.size : self.page * self.size]

    def after(self, number: int) -> str:
        """Return the token of the next undecided pair after a number, from the first on again."""
        left = [each for each in self.tokens if each not in self.decided]
        chosen = next((each for each in left if each > number), left[0] if left else 0)
        return self.tokens.get(chosen, "")

    def pages_part(self, review: str) -> PagesPart:
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
    return whole_number(request.GET.get(name, ""), default)


def back_to_pair(request: Request, token: str) -> HttpResponse:
    address = reverse("review", args=[request.assignment.pk])
    if token not in tokens_of(request.assignment).values():
        return redirect(address)
    asked = urlencode({"pair": token, "size": page_size(request)})
    return redirect(f"{address}?{asked}#pair-{token}")
