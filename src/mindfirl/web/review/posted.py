"""What the forms of the review screen send."""

from __future__ import annotations

from mindfirl.core.errors import SettingError
from mindfirl.core.review.decisions import Decision
from mindfirl.core.risk.kapr import Step
from mindfirl.web.http.access import Request

_LONGEST_NUMBER = 9


def posted_decision(request: Request) -> Decision | None:
    """Return the decision that was sent; none where one is undone."""
    if "decision" not in request.POST:
        raise incomplete()
    verdict, _between, reason = request.POST["decision"].partition(":")
    return Decision(verdict, reason or None) if verdict else None  # type: ignore[arg-type]  # checks itself


def posted_step(request: Request) -> Step:
    """Return which cell is to be opened, and how far."""
    text = request.POST.get("step", "")
    if not text.partition(":")[2]:
        raise incomplete()
    return Step.parse(text)


def posted_row(request: Request) -> Step:
    """Return to which level all cells of a pair are to be opened."""
    if not request.POST.get("level"):
        raise incomplete()
    return Step.parse(request.POST["level"])


def posted_state(request: Request) -> int:
    seen = whole_number(request.POST.get("seen", ""))
    if seen is None:
        raise incomplete()
    return seen


def whole_number(text: str) -> int | None:
    fits = text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER
    return int(text) if fits else None


def incomplete() -> SettingError:
    return SettingError("What was sent was not complete. Load the page anew, and try again.")
