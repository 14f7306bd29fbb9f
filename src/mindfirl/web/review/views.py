"""The review screen: pairs to be decided, cells that are opened for their price."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import CommentRepeats, NotYours, SettingError
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.shortcuts import keys_of
from mindfirl.core.review.shown_pair import Meters, ShownPair
from mindfirl.core.risk.kapr import Step
from mindfirl.services.review import decisions, disclosure
from mindfirl.services.review.disclosure import Answer
from mindfirl.services.review.shortcuts import switch_keys
from mindfirl.store.models import Assignment
from mindfirl.store.queries.reviews import decided_numbers, tokens_of
from mindfirl.web.http.access import Request
from mindfirl.web.review.cover import covering
from mindfirl.web.review.pair_page import (
    drawn_cells,
    drawn_meters,
    drawn_pair,
    drawn_said,
    drawn_saying,
    left_words,
    legend,
    named_keys,
    still_open,
    suggested_at,
    what_is_left,
)
from mindfirl.web.review.votes_page import drawn_beside

SIZES: Final = (10, 20, 50)
_USUAL: Final = 20


@dataclass(frozen=True, slots=True)
class _Place:
    """Where somebody is in an assignment: its pairs in their order, and those on a page."""

    tokens: dict[int, str]
    decided: dict[int, decisions.Decided]
    size: int
    page: int
    keys: dict[str, str]

    @classmethod
    def of(cls, request: Request, token: str = "") -> _Place:
        """Find the page that is asked for, that of a pair, or that of the first undecided one."""
        tokens = tokens_of(request.assignment)
        decided = decisions.decisions_of(request.assignment)
        size = _size(request)
        last = max(1, -(-len(tokens) // size))
        places = {each: place for place, each in enumerate(tokens.values())}
        undecided = (place for place, each in enumerate(tokens) if each not in decided)
        there = places.get(token, next(undecided, 0)) // size + 1
        asked = there if token else _number(request, "page", there)
        keys = keys_of(request.account.review_keys)
        return cls(tokens, decided, size, min(max(asked, 1), last), keys)

    @property
    def pages(self) -> int:
        return max(1, -(-len(self.tokens) // self.size))

    @property
    def numbers(self) -> list[int]:
        """The numbers of the pairs on the page."""
        return list(self.tokens)[(self.page - 1) * self.size : self.page * self.size]

    def after(self, number: int) -> str:
        """Return the token of the next undecided pair after a number, from the first on again."""
        left = [each for each in self.tokens if each not in self.decided]
        chosen = next((each for each in left if each > number), left[0] if left else 0)
        return self.tokens.get(chosen, "")

    def draw(self, pair: ShownPair, comment: str) -> dict[str, Any]:
        """Return what the template of a pair needs."""
        said = self.decided.get(pair.number)
        decision = said.decision if said else None
        return drawn_pair(pair, decision=decision, comment=comment, keys=self.keys)


def review(request: Request) -> HttpResponse:
    """Show pairs of an assignment, as far as they are open."""
    mine = request.assignment
    if mine.state != "open":
        return render(request, "review/closed.html", {"assignment": mine})
    if "after" in request.GET:
        return back(request, _Place.of(request).after(_number(request, "after", 0)))
    return _page(request, request.GET.get("pair", ""))


def _page(request: Request, wanted: str, refused: dict[str, str] | None = None) -> HttpResponse:
    """Show the page that a pair is on; of a comment that was refused, with what was typed."""
    mine = request.assignment
    place = _Place.of(request, wanted)
    shown = disclosure.show_pairs(assignment=mine, numbers=place.numbers) if place.numbers else []
    comments = disclosure.comments_of(assignment=mine, numbers=place.numbers)
    drawn = [place.draw(pair, comments.get(pair.number, "")) for pair in shown]
    beside = drawn_beside(request.account, mine, place.numbers, place.tokens)
    for pair in drawn:
        pair.update(beside.get(pair["number"], {}))
        pair["comment"].update((refused or {}) if pair["token"] == wanted else {})
    meters = disclosure.meters_of(assignment=mine)
    undecided = (pair["token"] for pair in drawn if not pair["decided"])
    first = drawn[0]["token"] if drawn else ""
    places = {pair["token"]: pair["number"] for pair in drawn}
    focus = wanted if wanted in places else next(undecided, first)
    context = {
        **_common(request, place, meters),
        **covering(request),
        "pairs": drawn,
        "left": what_is_left(meters, drawn),
        "left_words": left_words(),
        "focus": focus,
        "here": places.get(focus, 0),
        "suggested_at": suggested_at(drawn, focus),
        "attributes": [cell["attribute"] for cell in drawn[0]["cells"]] if drawn else [],
        "guidance": mine.terms.guidance,
        "legend": legend(),
        "single_keys": request.account.single_keys,
        "pages": [(number, _address(request, place, page=number)) for number in _near(place)],
        "sizes": [(size, _address(request, place, size=size, page=1)) for size in SIZES],
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if refused else HTTPStatus.OK
    return render(request, "review/page.html", context, status=status)


def review_open(request: Request) -> HttpResponse:
    """Open a cell of a pair."""
    return _answered(request, disclosure.open_step(**_wanted(request, asked_step(request))))


def review_open_row(request: Request) -> HttpResponse:
    """Open all cells of a pair that have a level."""
    return _answered(request, disclosure.open_step(**_wanted(request, asked_row(request))))


def review_decide(request: Request) -> HttpResponse:
    """Keep a decision about a pair, or take it back."""
    token = request.POST.get("pair", "")
    said = asked_decision(request)
    number = decisions.decide(
        account=request.account,
        assignment=request.assignment,
        token=token,
        decision=said,
        now=timezone.now(),
    )
    if not request.htmx:
        return back(request, token)
    comment = disclosure.comments_of(assignment=request.assignment, numbers=[number])
    drawn = drawn_said(token, decision=said, comment=comment.get(number, ""))
    return _said(request, number, drawn, told=_("Saved.") if said else _("Taken back."))


def review_comment(request: Request) -> HttpResponse:
    """Keep a comment on a pair, or take it back."""
    if "words" not in request.POST:
        raise not_understood()
    token, words = request.POST.get("pair", ""), request.POST["words"]
    refused: dict[str, str] = {}
    try:
        disclosure.comment(
            account=request.account,
            assignment=request.assignment,
            token=token,
            words=words,
            now=timezone.now(),
        )
    except (CommentRepeats, SettingError) as error:
        refused = {"typed": words, "wrong": str(error)}
    if not request.htmx:
        return _page(request, token, refused) if refused else back(request, token)
    number, decision = _decided(request, token)
    drawn = _saying(request, token, number, decision)
    drawn["comment"].update(refused)
    told = "" if refused else _("Comment saved.") if words.strip() else _("Comment removed.")
    status = HTTPStatus.UNPROCESSABLE_ENTITY if refused else HTTPStatus.OK
    return _said(request, number, drawn, told=told, status=status)


def review_shortcuts(request: Request) -> HttpResponse:
    """Switch single keys on or off."""
    switch_keys(account=request.account, on=request.POST.get("keys") == "on")
    return back(request, request.POST.get("pair", ""))


def asked_decision(request: Request) -> Decision | None:
    """Return the decision that was sent; none where one is taken back."""
    if "decision" not in request.POST:
        raise not_understood()
    verdict, _between, reason = request.POST["decision"].partition(":")
    return Decision(verdict, reason or None) if verdict else None  # type: ignore[arg-type]  # checks itself


def asked_state(request: Request) -> int:
    """Return the state of the pair that the page showed."""
    seen = request.POST.get("seen", "")
    if not (seen.isascii() and seen.isdigit() and len(seen) < 10):  # noqa: PLR2004  # cells are few
        raise not_understood()
    return int(seen)


def asked_step(request: Request) -> Step:
    """Read which cell is to be opened, and how far."""
    text = request.POST.get("step", "")
    if not text.partition(":")[2]:
        raise not_understood()
    return Step.parse(text)


def asked_row(request: Request) -> Step:
    """Read to which level all cells of a pair are to be opened."""
    if not request.POST.get("level"):
        raise not_understood()
    return Step.parse(request.POST["level"])


def _wanted(request: Request, step: Step) -> dict[str, Any]:
    """Return what every opening names."""
    return {
        "account": request.account,
        "assignment": request.assignment,
        "token": request.POST.get("pair", ""),
        "step": step,
        "seen": asked_state(request),
        "now": timezone.now(),
    }


def _decided(request: Request, token: str) -> tuple[int, Decision | None]:
    """Return the number of a pair, and what was said of it."""
    numbers = {known: number for number, known in tokens_of(request.assignment).items()}
    if token not in numbers:
        raise NotYours
    said = decisions.decisions_of(request.assignment).get(numbers[token])
    return numbers[token], said.decision if said else None


def _saying(request: Request, token: str, number: int, decision: Decision | None) -> dict[str, Any]:
    """Return what the template needs to draw what was said of a pair."""
    comments = disclosure.comments_of(assignment=request.assignment, numbers=[number])
    keys = keys_of(request.account.review_keys)
    return drawn_saying(token, decision=decision, comment=comments.get(number, ""), keys=keys)


def _answered(request: Request, answer: Answer) -> HttpResponse:
    """Show a pair after an opening, and say why if it was refused."""
    wrong = why_refused(answer)
    if not request.htmx:
        if wrong:
            messages.warning(request, wrong)
        return back(request, answer.pair.token)
    keys = keys_of(request.account.review_keys)
    context = {
        **everywhere(request, keys),
        "opened": True,
        "pair": drawn_cells(answer.pair, keys=keys),
        "meters": drawn_meters(answer.meters),
        "told": "" if wrong else _("Opened."),
        "wrong": wrong,
    }
    status = HTTPStatus.CONFLICT if wrong else HTTPStatus.OK
    return render(request, "review/update.html", context, status=status)


def why_refused(answer: Answer) -> str:
    """Say why nothing was opened, and what else could be."""
    if answer.stale:
        return _(
            "This pair has changed since your page showed it, and with it its prices. "
            "Nothing was opened or charged. Here it is as it is now."
        )
    if answer.refused is None:
        return ""
    reason = {
        "budget": _("This would take more than is left of your budget. Nothing was opened."),
        "kappa": _("The project does not allow this cell to be opened. It cost nothing."),
        "together": _(
            "All who review have by now seen together as much of these people as the project "
            "allows. Nothing was opened, and it cost nothing."
        ),
    }.get(answer.refused, _("This was refused. Nothing was opened."))
    others = still_open(answer.pair)
    if not others:
        return (
            f"{reason} {_('Nothing else in this pair can be opened now; decide by what is shown.')}"
        )
    can = _("In this pair you can still open something of: %s.") % ", ".join(others)
    return f"{reason} {can}"


def _said(
    request: Request,
    number: int,
    pair: dict[str, Any],
    *,
    told: str,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    """Answer what was said of a pair, and how many are decided."""
    keys, size = keys_of(request.account.review_keys), _size(request)
    first = (number - 1) // size * size
    here = range(first + 1, min(first + size, request.assignment.size) + 1)
    context = {
        **everywhere(request, keys),
        **_counts(request.assignment.size, decided_numbers(request.assignment), here),
        "said": True,
        "pair": {**pair, "width": len(request.assignment.attributes) + 1},
        "told": told,
    }
    return render(request, "review/update.html", context, status=status)


def _common(request: Request, place: _Place, meters: Meters) -> dict[str, Any]:
    """Return what the page needs beside its pairs."""
    return {
        **everywhere(request, place.keys),
        **_counts(len(place.tokens), place.decided, place.numbers),
        "meters": drawn_meters(meters),
        "page": place.page,
    }


def everywhere(request: Request, keys: dict[str, str] | None = None) -> dict[str, Any]:
    """Return what a page and all parts of it need."""
    mine: Assignment = request.assignment
    review = reverse("review", args=[mine.pk])
    return {
        "assignment": mine,
        "to": {
            name.replace("-", "_"): f"{review}/{name}"
            for name in ("open", "open-row", "decide", "comment", "explain", "shortcuts", "submit")
        },
        "settles": mine.kind == "adjudication",
        "advised": mine.terms.hints,
        "size": _size(request),
        "key": named_keys(keys or keys_of(request.account.review_keys)),
    }


def _counts(total: int, decided: Collection[int], here: Collection[int]) -> dict[str, Any]:
    """Count what is decided, of all and on the page."""
    return {
        "total": total,
        "decided": len(decided),
        "on_page": len(here),
        "decided_here": sum(number in decided for number in here),
        "complete": len(decided) == total,
    }


def _near(place: _Place) -> list[int]:
    """Return the pages that are linked: the first, the last, and those around this one."""
    wanted = {1, place.pages, *range(place.page - 2, place.page + 3)}
    return sorted(each for each in wanted if 1 <= each <= place.pages)


def _address(request: Request, place: _Place, **parts: int) -> str:
    there = {"page": place.page, "size": place.size, **parts}
    return f"{reverse('review', args=[request.assignment.pk])}?{urlencode(there)}"


def back(request: Request, token: str) -> HttpResponse:
    """Go back to a pair, on the page that it is on."""
    address = reverse("review", args=[request.assignment.pk])
    if token not in tokens_of(request.assignment).values():
        return redirect(address)
    size = _size(request)
    return redirect(f"{address}?{urlencode({'pair': token, 'size': size})}#pair-{token}")


def _size(request: Request) -> int:
    """Return how many pairs are on a page."""
    size = _number(request, "size", _USUAL)
    return size if size in SIZES else _USUAL


def _number(request: Request, name: str, default: int) -> int:
    given = request.GET.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else default  # noqa: PLR2004  # no page is that far


def not_understood() -> SettingError:
    """Return what is said of a request that is not complete."""
    return SettingError("What was sent was not complete. Load the page anew, and try again.")
