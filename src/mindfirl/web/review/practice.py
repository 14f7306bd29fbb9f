"""The practice: made-up pairs on the review screen; what is done here stays in the session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.review.decisions import keys_of
from mindfirl.core.review.shown_pair import ShownPair
from mindfirl.core.risk.kapr import Step
from mindfirl.core.values.schema import Level, level_number
from mindfirl.services.review.disclosure import practice as service
from mindfirl.services.review.presence import note_practice
from mindfirl.services.review.shortcuts import switch_keys
from mindfirl.synthetic.practice_pairs import Example
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page
from mindfirl.web.review import screen_page
from mindfirl.web.review.decision_page import NO_COMMENT, decision_words
from mindfirl.web.review.pair_page import Feedback, Pair, whole_pair
from mindfirl.web.review.position import posted_decision, posted_number, posted_row, posted_step

_TOURED: Final = "twins"
_KEPT: Final = "practice"
"""Where the session keeps what was opened and said."""
_WHY: Final = {
    "transposed": gettext_lazy(
        "Two neighbouring letters of the last name changed places, and everything else agrees, "
        "including the number: a typing error. The marks show this; nothing needs to be opened."
    ),
    "strangers": gettext_lazy(
        "Only the last name and the sex agree, and many people share these. The rest differs too "
        "much to be a mistake. The marks show this; nothing needs to be opened."
    ),
    "exchanged": gettext_lazy(
        "Day and month of birth changed places, as happens where dates are written in another "
        "order; everything else agrees. The marks show this; nothing needs to be opened."
    ),
    "twins": gettext_lazy(
        "Same last name, birthday and ZIP, but neighbouring numbers: these could be twins, or one "
        "person with a nickname and a mistyped number. The first names settle it: Clara and Emma "
        "are two people. Opening the first name is enough."
    ),
    "swapped": gettext_lazy(
        "First and last name are in each other's column, and the person has moved; birthday and "
        "number agree. The marks show this; nothing needs to be opened."
    ),
    "junior": gettext_lazy(
        "One last name has three characters more, the birthdays have nothing in common, and a "
        "number is missing. What differs is “Jr”: father and son. Opening what differs in the "
        "last name is enough."
    ),
    "letter": gettext_lazy(
        "A number is missing, so the one letter that differs matters: Erik and Eric are spellings "
        "of one name, and birthday and ZIP agree. Opening what differs in the first name is enough."
    ),
    "empty": gettext_lazy(
        "Nearly everything that could help is missing, and many people share the last name. "
        "Opening the rest would cost and settle nothing: this is bad data."
    ),
}
_WHY_OF_MORE: Final = {
    "nickname": gettext_lazy(
        "The first names have little in common until they are open: Bill is short for William. "
        "Last name and birthday agree, and people move. Opening the first name is enough."
    ),
    "unnamed twin": gettext_lazy(
        "Birthday, last name and ZIP agree, and the numbers are neighbours; but a first name is "
        "missing. This is Anna with a mistyped number, or her twin: press 0, then the key for "
        "twins. No opening would settle it."
    ),
    "transcribed": gettext_lazy(
        "Two ways to write Chinese names in Latin letters, or two people: an expert can tell. "
        "Choose “needs an expert”, and an adjudicator will decide."
    ),
}
_REASONS_WORDS: Final[dict[str, Any]] = {
    "twins": gettext_lazy("you cannot tell: they may be twins"),
    "needs expert": gettext_lazy("you cannot tell without an expert"),
    "bad data": gettext_lazy("you cannot tell: too much is missing"),
}
_ANSWERS: Final[dict[bool | None, Any]] = {
    True: gettext_lazy("the same person"),
    False: gettext_lazy("two people"),
}


def practice(request: Request) -> HttpResponse:
    practised = _kept(request)
    pairs = [_pair(request, practised, pair) for pair in service.show_practice(practice=practised)]
    meters = service.practice_meters(practice=practised)
    counts = _counts(practised)
    shown = screen_page.screen_part(
        request.account,
        pairs,
        meters,
        counts,
        focus=_here(request, pairs).token,
        guidance=_("In an assignment, the manager's guidance appears here."),
        lengths=_lengths(pairs),
    )
    part = "review/practice/page.html"
    return page(request, part, _frame(request), counts, shown, meters=meters)


def _lengths(pairs: Iterable[Pair]) -> list[int]:
    """Return how long the values of each attribute are at most."""
    rows = [[cell.rows for cell in pair.cells] for pair in pairs]
    return [
        max(sum(len(run.text) for run in row) for rows in column for row in rows)
        for column in zip(*rows, strict=True)
    ]


def practice_tour(request: Request) -> HttpResponse:
    """Show one pair of the practice, masked, with what its marks and prices mean."""
    tour = next(each for each in service.show_practice(practice=service.Practice()) if _tours(each))
    pair = _pair(request, service.Practice(), tour)
    lengths = _lengths([pair])
    return page(
        request,
        "review/practice/tour.html",
        _frame(request),
        pair=pair,
        columns=screen_page.column_widths([cell.attribute for cell in pair.cells], lengths),
        meters=service.practice_meters(practice=service.Practice()),
        pairs=len(service.PRACTICE),
    )


def _tours(pair: ShownPair) -> bool:
    return service.example_of(pair.token).name == _TOURED


def practice_open(request: Request) -> HttpResponse:
    return _opened(request, posted_step(request))


def practice_open_row(request: Request) -> HttpResponse:
    return _opened(request, posted_row(request))


def practice_decide(request: Request) -> HttpResponse:
    token = request.POST.get("pair", "")
    said = posted_decision(request)
    practised = service.decide_practice(practice=_kept(request), token=token, decision=said)
    request.session[_KEPT] = practised.kept()
    if not request.htmx:
        return _back(token)
    pair = next(each for each in service.show_practice(practice=practised) if each.token == token)
    heard = feedback(practised, token)
    sentence = f"{heard.verdict} {heard.why} {heard.spare}" if heard else _("Decision undone.")
    return _fragment(request, practised, pair, sentence=sentence)


def practice_shortcuts(request: Request) -> HttpResponse:
    switch_keys(account=request.account, on=request.POST.get("keys") == "on")
    return _back(request.POST.get("pair", ""))


def practice_again(request: Request) -> HttpResponse:
    request.session.pop(_KEPT, None)
    return redirect("practice")


def practice_finish(request: Request) -> HttpResponse:
    practised = _kept(request)
    if request.method == "POST":
        now = timezone.now()
        service.finish_practice(account=request.account, practice=practised, now=now)
        if practised.said:
            return redirect("practice-finish")
        messages.success(request, _("You can practise at any time, further down on this page."))
        return redirect("assignments")
    if not practised.said:
        return redirect("practice")
    pairs = service.show_practice(practice=practised)
    return page(
        request,
        "review/practice/finish.html",
        rows=[_row(practised, pair) for pair in pairs],
        right=service.right_at_once(practised),
        total=len(pairs),
        meters=service.practice_meters(practice=practised),
        enough=service.enough_to_see(),
    )


def _here(request: Request, pairs: Sequence[Pair]) -> Pair:
    """Return the pair that is asked for, or the next undecided one, from the first on again."""
    for pair in pairs:
        if pair.token == request.GET.get("pair"):
            return pair
    after = request.GET.get("after")
    start = next((pair.number for pair in pairs if str(pair.number) == after), 0)
    around = [*pairs[start:], *pairs[:start]]
    return next((pair for pair in around if not pair.decided), pairs[0])


def _kept(request: Request) -> service.Practice:
    """Return the practice of a session; whoever asks for it is there."""
    note_practice(session=request.session_open, now=timezone.now())
    return service.Practice.restored(request.session.get(_KEPT, {}))


def _opened(request: Request, step: Step) -> HttpResponse:
    """Open a step; show the pair, and say why if nothing was opened."""
    practised, answer = service.open_practice_step(
        practice=_kept(request),
        token=request.POST.get("pair", ""),
        step=step,
        seen=posted_number(request, "seen"),
    )
    request.session[_KEPT] = practised.kept()
    wrong = screen_page.why_refused(answer)
    if request.htmx:
        sentence = "" if wrong else _("Opened.")
        return _fragment(request, practised, answer.pair, sentence=sentence, wrong=wrong)
    if wrong:
        messages.warning(request, wrong)
    return _back(answer.pair.token)


def _fragment(
    request: Request,
    practised: service.Practice,
    pair: ShownPair,
    *,
    sentence: str,
    wrong: str = "",
) -> HttpResponse:
    return screen_page.update_page(
        request,
        _frame(request),
        _pair(request, practised, pair),
        sentence,
        meters=service.practice_meters(practice=practised),
        counts=_counts(practised),
        wrong=wrong,
    )


def _pair(request: Request, practised: service.Practice, pair: ShownPair) -> Pair:
    keys, decision = keys_of(request.account.review_keys), practised.said.get(pair.token)
    drawn = whole_pair(pair, decision=decision, comment=NO_COMMENT, keys=keys)
    right = practised.right(pair.token)
    short = drawn.short if right is None else _("✓ right") if right else _("✗ not quite")
    return replace(drawn, short=short, feedback=feedback(practised, pair.token))


def _counts(practised: service.Practice) -> screen_page.CountsPart:
    decided = sum(token in practised.said for token in service.PRACTICE)
    return screen_page.counts_part(len(service.PRACTICE), decided)


def _frame(request: Request) -> screen_page.FramePart:
    return screen_page.FramePart(
        to=screen_page.Addresses(
            open=reverse("practice-open"),
            open_row=reverse("practice-open-row"),
            decide=reverse("practice-decide"),
            shortcuts=reverse("practice-shortcuts"),
        ),
        query="",
        key=screen_page.named_keys(keys_of(request.account.review_keys)),
        practice=True,
    )


def _row(practised: service.Practice, pair: ShownPair) -> tuple[ShownPair, str, str, str]:
    """Return a pair with what was decided, its answer, and whether that was right."""
    said = practised.said.get(pair.token)
    answer = answer_words(service.example_of(pair.token))
    return pair, decision_words(said) if said else "", answer, _how_right(practised, pair.token)


def _how_right(practised: service.Practice, token: str) -> str:
    if practised.right_at_once(token):
        return "at once"
    return {True: "later", False: "no", None: ""}[practised.right(token)]


def _back(token: str) -> HttpResponse:
    if token not in service.PRACTICE:
        return redirect("practice")
    return redirect(f"{reverse('practice')}?pair={token}#pair-{token}")


def feedback(practice: service.Practice, token: str) -> Feedback | None:
    right = practice.right(token)
    if right is None:
        return None
    example = service.example_of(token)
    spare = _spare(example, practice.opened.get(token, ()))
    verdict = _("Right: %s.") if right else _("Not quite: %s.")
    return Feedback(
        tone="success" if right else "warning",
        verdict=verdict % answer_words(example),
        why=str((_WHY | _WHY_OF_MORE)[example.name]),
        spare=_("You opened more than needed: %s.") % ", ".join(spare) if spare else "",
    )


def answer_words(example: Example) -> str:
    return str(_REASONS_WORDS[example.reason] if example.reason else _ANSWERS[example.same])


def _spare(example: Example, opened: Iterable[tuple[str, Level]]) -> list[str]:
    return list(
        dict.fromkeys(
            name
            for name, level in opened
            if level_number(level) > level_number(example.enough.get(name, "masked"))
        )
    )
