"""Bars tell how long the stage that is being worked on will still take, and no other."""

from __future__ import annotations

import time
from io import StringIO

import pytest
from rich.console import Console

from mindfirl.cli.terminal.progress_bars import progress_bar, stage_bars


class Terminal(StringIO):
    """A terminal that remembers what it was sent since the last look."""

    def shows(self, words: str) -> bool:
        """Wait for a while until the bars were drawn with these words."""
        self.seek(0)
        self.truncate()
        for _ in range(1200):
            if words in self.getvalue():
                return True
            time.sleep(0.05)
        return False


def test_time_left_is_estimated_within_each_stage() -> None:
    terminal, now = Terminal(), [0.0]
    console = Console(file=terminal, force_terminal=True, width=100, color_system=None)
    with stage_bars(console, lambda: now[0]) as show:
        show("[bold]comparing", 0, 4)
        assert terminal.shows("[bold]comparing")
        assert "left" not in terminal.getvalue(), "nothing was done yet"
        now[0] = 60
        show("[bold]comparing", 1, 4)
        assert terminal.shows("about 0:03:00 left")
        now[0] = 90
        assert terminal.shows("about 0:02:30 left")
        show("[bold]comparing", 1, 7)
        assert terminal.shows("about 0:09:00 left")
        now[0] = 100
        show("risk ahead", 0, 10)
        assert terminal.shows("risk ahead")
        assert "left" not in terminal.getvalue(), "what another stage took says nothing"
        now[0] = 105
        show("risk ahead", 5, 10)
        assert terminal.shows("about 0:00:05 left")
        show("risk ahead", 10, 10)
        assert terminal.shows("100%")
        assert "left" not in terminal.getvalue()


def test_nothing_is_shown_where_there_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with progress_bar("reading") as show:
        show(1, 2)
    assert capfd.readouterr() == ("", "")
