"""What the product draws at random: the same in every run of `make test`, anything in `make proof`.

A test that fails one time in a hundred fails for somebody else. So each test draws from dice of its
own, which know nothing of the tests before it; what several tests share is drawn from its own, too.
Programs in processes of their own draw as they do for users.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Final

_dice: Final = Random()


def load_dice() -> None:
    """Let what is drawn for keys, numbers and orders come from the dice of the running test."""
    os.urandom = _dice.randbytes
    secrets.token_bytes = lambda nbytes=None: _dice.randbytes(
        secrets.DEFAULT_ENTROPY if nbytes is None else nbytes
    )
    secrets.randbits = _dice.getrandbits  # type: ignore[assignment]  # its argument has no name
    secrets.SystemRandom = lambda: _dice  # type: ignore[misc, assignment]
    os.register_at_fork(after_in_child=_dice.seed)


def throw_for(name: str) -> None:
    """Begin with the dice of a test."""
    _dice.seed(name)


@contextmanager
def dice_of(name: str) -> Iterator[None]:
    """Draw from other dice for a while, and go on as if nothing had been drawn."""
    before = _dice.getstate()
    _dice.seed(name)
    yield
    _dice.setstate(before)
