"""What people do in a traced session, in good order and in none."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Final
from unittest.mock import patch
from uuid import uuid4

from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from mindfirl.core.review.decisions import VERDICTS
from mindfirl.store.models import Assignment, OpenSession
from tests.support.alphabet import ATTRIBUTES
from tests.support.traced import Session, Viewer

SIZES: Final = (10, 20, 50)
_STEP: Final = re.compile(r'(?:name="step" value|data-fully)="([^"]+)"')
_LEVEL: Final = re.compile(r'name="level" value="([^"]+)"')
_SEEN: Final = re.compile(r'name="seen" value="(\d+)"')


def _mine(session: Session, viewer: Viewer) -> Assignment:
    return session.dice.choice(
        [each for each in session.assignments if each.account == viewer.account]
    )


def _address(assignment: Assignment) -> str:
    return f"/assignments/{assignment.pk}"


def look(session: Session, viewer: Viewer) -> None:
    """Load a page of an assignment."""
    dice = session.dice
    query = dice.choice(
        [
            "",
            f"?size={dice.choice(SIZES)}&page={dice.randint(1, 3)}",
            f"?size={dice.choice(SIZES)}&page={dice.randint(1, 3)}",
            f"?after={dice.randint(0, 30)}",
            f"?pair={dice.choice(list(viewer.pages) or ['none'])}",
            f"?pair=&size=7&page={'9' * dice.randint(1, 12)}",
        ]
    )
    viewer.last = f"{_address(_mine(session, viewer))}{query}"
    session.ask(viewer, viewer.last)


def look_again(session: Session, viewer: Viewer) -> None:
    session.ask(viewer, viewer.last)


def look_around(session: Session, viewer: Viewer) -> None:
    """Go to any page that an address leads to, allowed or not, with whatever it names."""
    route = session.dice.choice(_routes())
    assignment = session.dice.choice(session.assignments)
    names = {
        "project": session.study.project.name,
        "assignment": str(assignment.pk),
        **dict.fromkeys(("upload", "job", "session", "account"), str(uuid4())),
        "member": "1",
        "release": "1",
        "token": "no-such-token",
    }
    needed = {name: names[name] for name in route.pattern.converters}
    method = session.dice.choice(["", "", "", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
    session.ask(viewer, reverse(str(route.name), kwargs=needed), method=method)


def _routes() -> list[URLPattern]:
    return [each for each in get_resolver().url_patterns if isinstance(each, URLPattern)]


def _pair(session: Session, viewer: Viewer) -> tuple[str, str, str] | None:
    """Choose a pair as a page has drawn it, mostly the newest: its assignment, token, and page."""
    if not viewer.pages:
        look(session, viewer)
        return None
    token = session.dice.choice(list(viewer.pages))
    drawn = viewer.pages[token]
    page = drawn[-1] if session.dice.random() < 0.9 else session.dice.choice(drawn)  # some go back
    return f"/assignments/{session.told.pairs[token][0]}", token, page


def open_cell(session: Session, viewer: Viewer) -> None:
    """Press a cell, with scripts or without; now and then twice."""
    chosen = _pair(session, viewer)
    steps = _STEP.findall(chosen[2]) if chosen else []
    if not chosen or not steps:
        return look(session, viewer)
    address, token, page = chosen
    seen = _SEEN.search(page)
    assert seen
    typed = {"pair": token, "seen": seen[1], "step": session.dice.choice(steps)}
    plainly = session.dice.random() < 0.2  # of them
    for _ in range(1 if session.dice.random() < 0.9 else 2):  # the same
        answer = session.ask(viewer, f"{address}/open", typed, plainly=plainly)
        if answer.status_code == 302:  # where a browser goes on
            session.ask(viewer, answer.headers["Location"].partition("#")[0])
    return None


def open_row(session: Session, viewer: Viewer) -> None:
    """Press what opens several cells at once."""
    chosen = _pair(session, viewer)
    found = _LEVEL.findall(chosen[2]) if chosen else []
    if not chosen or not found:
        return look(session, viewer)
    address, token, page = chosen
    seen = _SEEN.search(page)
    assert seen
    typed = {"pair": token, "seen": seen[1], "level": session.dice.choice(found)}
    session.ask(viewer, f"{address}/open-row", typed, plainly=session.dice.random() < 0.2)
    return None


def force_open(session: Session, viewer: Viewer) -> None:
    """Ask for a cell that no button offers: what κ or the budget refuses, or what is open."""
    chosen = _pair(session, viewer)
    if chosen:
        address, token, page = chosen
        seen = _SEEN.search(page)
        assert seen
        step = f"{session.dice.choice(('partial', 'full'))}:{session.dice.choice(ATTRIBUTES)}"
        session.ask(viewer, f"{address}/open", {"pair": token, "seen": seen[1], "step": step})


def decide(session: Session, viewer: Viewer) -> None:
    """Decide a pair, change that, or take it back."""
    chosen = _pair(session, viewer)
    if chosen:
        said = session.dice.choice([*VERDICTS[:-1], "cannot tell:twins", "", ""])
        typed = {"pair": chosen[1], "decision": said}
        plainly = session.dice.random() < 0.2  # of them
        session.ask(viewer, f"{chosen[0]}/decide", typed, plainly=plainly)


def comment(session: Session, viewer: Viewer) -> None:
    chosen = _pair(session, viewer)
    if chosen:
        words = session.dice.choice(["perhaps a sister", "", "x" * 600])
        typed = {"pair": chosen[1], "words": words}
        session.ask(viewer, f"{chosen[0]}/comment", typed)


def finish(session: Session, viewer: Viewer) -> None:
    """Look back at the decisions; now and then submit them, all of them or not."""
    mine = _mine(session, viewer)
    session.ask(viewer, f"{_address(mine)}/submit")
    chance = session.dice.random()
    if chance < 0.1:  # most go on
        session.ask(viewer, f"{_address(mine)}/submit", {}, plainly=True)
    elif chance < 0.13:  # seldom all is decided
        decide_all(session, viewer, mine)


def decide_all(session: Session, viewer: Viewer, mine: Assignment) -> None:
    look_at_all(session, viewer, mine)
    for token in [each for each, (name, *_) in session.told.pairs.items() if name == str(mine.pk)]:
        typed = {"pair": token, "decision": VERDICTS[0]}
        session.ask(viewer, f"{_address(mine)}/decide", typed)
    session.ask(viewer, f"{_address(mine)}/submit", {}, plainly=True)


def look_at_all(session: Session, viewer: Viewer, mine: Assignment) -> None:
    for page in range(1, 1 + -(-mine.size // 10)):
        session.ask(viewer, f"{_address(mine)}?size=10&page={page}")


def home(session: Session, viewer: Viewer) -> None:
    there = session.dice.choice(["/", "/assignments", "/projects", "/help", "/account", "/nothing"])
    session.ask(viewer, there)


def leave(session: Session, viewer: Viewer) -> None:
    """Sign out, try to go on all the same, and sign in again."""
    session.ask(viewer, "/sign-out", {}, plainly=True)
    session.ask(viewer, viewer.last)
    open_cell(session, viewer)
    viewer.sign_in()
    session.ask(viewer, viewer.last)


def go_away(session: Session, viewer: Viewer) -> None:
    """Leave the pairs alone for a day, so that they are covered, and try to go on."""
    assert viewer.account
    OpenSession.objects.filter(account=viewer.account).update(
        reviewed=timezone.now() - timedelta(days=1)
    )
    for action in (look, open_cell, decide):
        action(session, viewer)
    viewer.sign_in()


def trespass(session: Session, viewer: Viewer) -> None:
    """Ask for assignments and pairs of others, or of nobody."""
    dice = session.dice
    whose = dice.choice([str(each.pk) for each in session.assignments] + [str(uuid4())])
    token = dice.choice([*session.told.pairs, "no-such-pair", ""])
    what = dice.choice(["", "/submit", "/open", "/open-row", "/decide", "/comment", "/shortcuts"])
    if session.told.people.get(whose) == viewer.name and what == "/submit":
        return
    step = f"{dice.choice(('partial', 'full'))}:{dice.choice(ATTRIBUTES)}"
    typed = {"pair": token, "seen": "0", "step": step, "level": "full", "decision": VERDICTS[0]}
    session.ask(viewer, f"/assignments/{whose}{what}", typed if what else None)
    session.ask(viewer, f"/assignments/{whose}?pair={token}")


def babble(session: Session, viewer: Viewer) -> None:
    """Send what makes no sense, and what comes from another site."""
    dice = session.dice
    mine = _mine(session, viewer)
    token = dice.choice(list(viewer.pages) or [""])
    typed: dict[str, str] = {"pair": token, "seen": dice.choice(["0", "-1", "x", "9" * 30, ""])}
    typed |= dice.choice(
        [
            {},
            {"step": "full"},
            {"step": "everything:first"},
            {"step": "full:diagnosis"},
            {"step": "full:notes"},
            {"step": "partial:sex"},
            {"step": "\0:\0"},
            {"level": "masked"},
            {"level": "diagnosis"},
            {"decision": "no idea"},
            {"decision": "cannot tell:nobody"},
        ]
    )
    what = dice.choice(["open", "open-row", "decide", "shortcuts"])
    session.ask(viewer, f"{_address(mine)}/{what}", typed, plainly=dice.random() < 0.5)  # half
    forged = Client(enforce_csrf_checks=True, raise_request_exception=False)
    forged.cookies = viewer.client.cookies
    session.check(viewer, forged.post(f"{_address(mine)}/{what}", typed))


def break_off(session: Session, viewer: Viewer) -> None:
    """Let the work on a page or an opening break off with all its values in hand."""

    def fails(*given: object, **_named: object) -> None:
        raise KeyError(repr(given), *given)

    where = session.dice.choice(
        [
            "mindfirl.web.review.views.page",
            "mindfirl.web.review.views.whole_pair",
            "mindfirl.services.review.disclosure.opening.append",
            "mindfirl.core.review.shown_pair.cell",
        ]
    )
    with patch(where, fails):
        session.dice.choice([look, open_cell, decide])(session, viewer)


WORK: Final[dict[Callable[[Session, Viewer], None], int]] = {
    look: 14,
    look_again: 5,
    open_cell: 40,
    open_row: 5,
    force_open: 8,
    decide: 12,
    comment: 3,
    finish: 3,
    home: 3,
    leave: 1,
    go_away: 1,
    trespass: 4,
    babble: 4,
    break_off: 2,
    look_around: 4,
}
"""What workers do, and how often."""


def manage(session: Session, manager: Viewer) -> None:
    """Look at a page of the project, or pause, resume, end, raise or pass on an assignment."""
    dice = session.dice
    assignment = dice.choice(session.assignments)
    there = f"/projects/{session.study.project.name}/assignments/{assignment.pk}"
    what = dice.choice(["pause", "resume", "resume", "budget", "due", "look", "look", "close"])
    if what == "look":
        look_around(session, manager)
    elif what == "close" and dice.random() < 0.2:  # seldom
        close(session, manager, assignment, dice.choice(["end", "reassign"]))
    elif what != "close":
        budget = str(dice.randint(1, 100))
        typed = {"budget": budget, "reason": "They need more.", "due": ""}
        answer = session.ask(manager, f"{there}/{what}", typed, plainly=True)
        session.ask(manager, answer.headers.get("Location", there))


def close(session: Session, manager: Viewer, assignment: Assignment, what: str) -> None:
    """End an assignment, or give its rest to somebody else; its person has looked at all of it."""
    worker = next(each for each in session.viewers if each.account == assignment.account)
    there = f"/projects/{session.study.project.name}/assignments/{assignment.pk}"
    session.ask(manager, f"{there}/resume", {}, plainly=True)
    look_at_all(session, worker, assignment)
    relief = next(each for each in session.viewers if is_relief(each))
    typed = {
        "reason": "They are ill.",
        f"person-{relief.name}": "on",
        f"budget-{relief.name}": "100",
    }
    session.ask(manager, f"{there}/{what}", typed, plainly=True)
    look_at_all(session, worker, assignment)
    session.assignments = list(Assignment.objects.filter(project=session.study.project))


def is_relief(viewer: Viewer) -> bool:
    """Say whether somebody is there to take over from others."""
    return viewer.account is not None and viewer.account.username.startswith("relief")


def begin(session: Session) -> None:
    """Bring about, by no chance, all that can happen; then let every worker do everything once."""
    manager = next(each for each in session.viewers if each.account == session.study.manager)
    for worker in session.workers:
        run_into_limits(session, worker)
    meet_every_answer(session, manager)
    one, other = [each for each in session.assignments if "town" in dict(each.terms.starting)][:2]
    close(session, manager, one, "end")
    close(session, manager, other, "reassign")
    for worker in session.workers:
        for action in (*WORK, break_off, break_off, force_open, force_open):
            action(session, worker)


def run_into_limits(session: Session, worker: Viewer) -> None:
    """Ask for whole pairs, one where κ must refuse it, all where the budget is small."""
    mine = [each for each in session.assignments if each.account == worker.account]
    by_kappa = next(each for each in mine if each.terms.kappa > 1)
    by_budget = min(mine, key=lambda each: each.budget)
    for assignment, most in ((by_kappa, 1), (by_budget, None)):
        look_at_all(session, worker, assignment)
        pairs = session.told.pairs.items()
        tokens = [each for each, (name, *_) in pairs if name == str(assignment.pk)]
        for token in tokens[:most]:
            open_whole(session, worker, assignment, token)


def open_whole(session: Session, worker: Viewer, assignment: Assignment, token: str) -> None:
    """Ask for every cell of a pair, whatever is offered."""
    for attribute in ATTRIBUTES:
        seen = _SEEN.search(worker.pages[token][-1])
        assert seen
        typed = {"pair": token, "seen": seen[1], "step": f"full:{attribute}"}
        session.ask(worker, f"{_address(assignment)}/open", typed)


def meet_every_answer(session: Session, manager: Viewer) -> None:
    """Pause an assignment and go on with it, and ask for what cannot be had, in every way."""
    assignment = session.assignments[0]
    worker = next(each for each in session.workers if each.account == assignment.account)
    here = _address(assignment)
    there = f"/projects/{session.study.project.name}/assignments/{assignment.pk}"
    for what in ("pause", "resume"):
        session.ask(manager, f"{there}/{what}", {}, plainly=True)
    session.ask(worker, f"{there}/pause", {}, plainly=True)  # 403
    session.ask(worker, f"/assignments/{uuid4()}")  # 404
    session.ask(worker, here, method="PUT")  # 405
    session.ask(worker, f"{here}/decide", {"pair": "", "decision": "no idea"})  # 400
    with patch("mindfirl.web.review.views.whole_pair", side_effect=KeyError):  # 500
        session.ask(worker, here)


def work(session: Session, answers: int) -> None:
    """Let everybody do something, until there were this many answers."""
    dice = session.dice
    manager = next(each for each in session.viewers if each.account == session.study.manager)
    actions, often = zip(*WORK.items(), strict=True)
    while session.answers < answers:
        busy = {each.account_id for each in session.assignments}
        chance = dice.random()
        if chance < 0.04:  # managers manage
            manage(session, manager)
        elif chance < 0.12:  # the others look
            viewer = dice.choice(session.viewers)
            dice.choice([look_around, home])(session, viewer)
        else:
            workers = [each for each in session.viewers if each.account and each.account.pk in busy]
            dice.choices(actions, often)[0](session, dice.choice(workers))


def look_back(session: Session) -> None:
    """Let everybody see once more all that is theirs."""
    manager = next(each for each in session.viewers if each.account == session.study.manager)
    for assignment in session.assignments:
        there = f"/projects/{session.study.project.name}/assignments/{assignment.pk}"
        session.ask(manager, f"{there}/resume", {}, plainly=True)
        viewer = next(each for each in session.viewers if each.account == assignment.account)
        look_at_all(session, viewer, assignment)
