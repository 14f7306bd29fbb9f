"""What the review screen is asked for: a decision, a step, a page of pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from mindfirl.core.errors import SettingError
from mindfirl.core.review.decisions import Decision
from mindfirl.core.risk.kapr import Step
from mindfirl.services.review import decisions
from mindfirl.store.queries.reviews import PairMarks, standings_of, tokens_of
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
    return SettingError(_("The request was incomplete. Reload the page and try again."))


SIZES: Final = (10, 20, 50)
_USUAL: Final = 20
_SHOWN: Final = ("all", "undecided", "flagged")


@dataclass(frozen=True, slots=True)
class PagesPart:
    page: int
    pages: list[tuple[int, str]]
    sizes: list[tuple[int, str]]
    filters: list[tuple[str, str]]
    show: str
    size: int


@dataclass(frozen=True, slots=True)
class Position:
    """Which pairs somebody asked for: a page of all, of the undecided or of the flagged ones."""

    tokens: dict[int, str]
    decided: dict[int, decisions.PairDecision]
    standings: dict[int, PairMarks]
    size: int
    page: int
    show: str

    @classmethod
    def of(cls, request: Request, token: str = "") -> Position:
        """Find the page that is asked for, that of a pair, or that of the first undecided one."""
        tokens = tokens_of(request.assignment)
        decided = decisions.decisions_of(request.assignment)
        found = cls(
            tokens, decided, standings_of(request.assignment), page_size(request), 1, _show(request)
        )
        if token in set(tokens.values()) - {tokens[each] for each in found.listed}:
            found = replace(found, show=_SHOWN[0])
        listed = found.listed
        places = {tokens[each]: place for place, each in enumerate(listed)}
        undecided = (place for place, each in enumerate(listed) if each not in decided)
        there = places.get(token, next(undecided, 0)) // found.size + 1
        asked = there if token else asked_number(request, "page", there)
        return replace(found, page=min(max(asked, 1), found.last))

    @property
    def listed(self) -> list[int]:
        if self.show == "undecided":
            return [each for each in self.tokens if each not in self.decided]
        if self.show == "flagged":
            return [each for each in self.tokens if self.standings[each].flagged]
        return list(self.tokens)

    @property
    def last(self) -> int:
        return max(1, -(-len(self.listed) // self.size))

    @property
    def numbers(self) -> list[int]:
        return self.listed[(self.page - 1) * self.size : self.page * self.size]

    def after(self, number: int) -> str:
        """Return the token of the next undecided pair after a number, from the first on again."""
        left = [each for each in self.tokens if each not in self.decided]
        chosen = next((each for each in left if each > number), left[0] if left else 0)
        return self.tokens.get(chosen, "")

    def nearest(self, number: int) -> str:
        """Return the token of the pair of a number, or of the last one before it."""
        before = [each for each in self.tokens if each <= number]
        return self.tokens[before[-1]] if before else next(iter(self.tokens.values()), "")

    def pages_part(self, review: str) -> PagesPart:
        wanted = {1, self.last, *range(self.page - 2, self.page + 3)}

        def address(**parts: int | str) -> str:
            asked = {"page": self.page, "size": self.size, "show": self.show, **parts}
            return f"{review}?{urlencode(_without_usual(asked))}"

        return PagesPart(
            page=self.page,
            pages=[(each, address(page=each)) for each in sorted(wanted) if 1 <= each <= self.last],
            sizes=[(size, address(size=size, page=1)) for size in SIZES],
            filters=[(show, address(show=show, page=1)) for show in _SHOWN],
            show=self.show,
            size=self.size,
        )


def _show(request: Request) -> str:
    asked = request.GET.get("show", "")
    return asked if asked in _SHOWN else _SHOWN[0]


def _without_usual(asked: dict[str, int | str]) -> dict[str, int | str]:
    return {name: value for name, value in asked.items() if value != _SHOWN[0]}


def page_size(request: Request) -> int:
    size = asked_number(request, "size", _USUAL)
    return size if size in SIZES else _USUAL


def asked_number(request: Request, name: str, default: int) -> int:
    return whole_number(request.GET.get(name, ""), default)


def query_of(request: Request) -> str:
    """Return what the address of a page says of it, but for its pair and number."""
    return urlencode(_without_usual({"size": page_size(request), "show": _show(request)}))


def back_to_pair(request: Request, token: str) -> HttpResponse:
    address = reverse("review", args=[request.assignment.pk])
    if token not in tokens_of(request.assignment).values():
        return redirect(address)
    asked = urlencode(
        _without_usual({"pair": token, "size": page_size(request), "show": _show(request)})
    )
    return redirect(f"{address}?{asked}#pair-{token}")
