"""Hidden characters never leave the server: every code point that did is one the ledger opened.

People work on traced pairs for a long, generated time, in good order and in none. After every
answer: what each viewer has ever received is what the ledger opened for them, no more; and each
drawn cell shows exactly the places that the ledger says are open, and hides all others.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest

from mindfirl.store.models import AssignedPair
from mindfirl.web.http.logs import Lines
from tests.conftest import Figure
from tests.support.alphabet import code_points
from tests.support.ledgers import accounts_of, verify_project
from tests.support.proof import FULL
from tests.support.traced import Session, make_session
from tests.support.traced_work import begin, is_relief, look_back, work

SEEDS: Final = range(20) if FULL else range(1)
ANSWERS: Final = 1_050 if FULL else 200
"""This many in each world, at least."""


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What is written to where the settings send it."""
    (handler,) = (
        each for each in logging.getLogger().handlers if isinstance(each.formatter, Lines)
    )
    assert isinstance(handler, logging.StreamHandler)
    written = io.StringIO()
    before = handler.setStream(written)
    yield written
    handler.setStream(before or written)


@pytest.mark.proof
def test_what_each_viewer_received_is_what_the_ledger_opened_for_them(
    home: Path, tmp_path: Path, log: io.StringIO, figure: Figure
) -> None:
    assert home.exists()
    answers = cells = characters = 0
    sessions = []
    for seed in SEEDS:
        folder = tmp_path / str(seed)
        folder.mkdir()
        session = make_session(folder, seed)
        begin(session)
        work(session, ANSWERS)
        look_back(session)
        check_all(session)
        sessions.append(session)
        assert not code_points(log.getvalue())
        answers += session.answers
        cells += session.cells
        characters += sum(len(viewer.received) for viewer in session.viewers)
    check_mixed(sessions)
    figure(
        f"tracer alphabet: {answers:,} answers, {cells:,} cells drawn in them, {characters:,} "
        "characters received, all of them in the ledger, and all of the ledger's received; "
        "0 more, 0 sensitive"
    )


def check_all(session: Session) -> None:
    """Check what was received at the end."""
    for viewer in session.viewers:
        assert viewer.received == session.told.open_to[viewer.name]
        assert not any("\ue000" <= each <= "\uf8ff" for each in viewer.received)
    replayed = accounts_of(session.study.project)
    for token, (name, *_) in session.told.pairs.items():
        number = AssignedPair.objects.get(token=token).number
        assert dict(replayed[name].state(number)) == session.told.levels[token]
    verify_project(session.study.project)


def check_mixed(sessions: Sequence[Session]) -> None:
    """Check that the sessions were as mixed as they should be."""
    statuses = {status for each in sessions for status in each.statuses}
    happened = {event for each in sessions for event in each.told.happened}
    viewers = [viewer for each in sessions for viewer in each.viewers]
    assert {200, 302, 400, 403, 404, 405, 409, 500} <= statuses
    assert {"opened", "refused: kappa", "refused: budget", "ended", "paused", "resumed"} <= happened
    assert any(is_relief(viewer) and viewer.received for viewer in viewers)
