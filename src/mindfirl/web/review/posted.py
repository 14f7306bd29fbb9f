"""What the forms of the review screen send."""

from __future__ import annotations

from mindfirl.core.errors import SettingError
from mindfirl.core.review.decisions import Decision
from mindfirl.web.http.access import Request

_LONGEST_NUMBER = 9


def posted_decision(request: Request) -> Decision | None:
    """Return the decision that was sent; none where one is undone."""
    if "decision" not in request.POST:
        raise incomplete()
    verdict, _between, reason = request.POST["decision"].partition(":")
    return Decision(verdict, reason or None) if verdict else None  # type: ignore[arg-type]  # checks itself


def posted_step(request: Request) -> tuple[str, str]:
    """Return the level and the attribute of a cell that is to be opened."""
    level, _between, attribute = request.POST.get("step", "").partition(":")
    if not attribute:
        raise incomplete()
    return level, attribute


def posted_level(request: Request) -> str:
    if not request.POST.get("level"):
        raise incomplete()
    return request.POST["level"]


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
