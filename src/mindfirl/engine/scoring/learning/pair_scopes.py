"""Which pairs are meant: all but those inside some databases, or only those inside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mindfirl.engine.scoring.blocking import Rule, pairs_that_share
from mindfirl.engine.scoring.keys import Codes
from mindfirl.engine.scoring.learning.missing import count_missing
from mindfirl.engine.scoring.learning.unions import Floats
from mindfirl.engine.scoring.splink_inputs import DRAW, PART, Session


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The pairs of a session that are ``inside`` these databases, or all other pairs."""

    session: Session
    databases: tuple[int, ...]
    inside: bool = False

    @property
    def possible(self) -> int:
        """How many pairs there are."""
        sizes = self.session.sizes
        within = sum(sizes[number] * (sizes[number] - 1) // 2 for number in self.databases)
        size = sum(sizes)
        return within if self.inside else size * (size - 1) // 2 - within

    def rule_sql(self, rule: Rule, one_in: int = 1) -> str:
        """Write a rule that makes one in this many of its pairs."""
        every = replace(self.session, mode="both").rule_sql(rule)
        return self.session.part_sql(self._only(every), one_in)

    def sample_sql(self, most: int) -> str:
        """Write a rule that makes about this many pairs, whatever they have in common."""
        groups = max(1, -(-self.possible // most))
        return self._only(f"l.{DRAW} % {groups} = r.{DRAW} % {groups}")

    def sharing(self, codes: Codes) -> int:
        """Count the pairs that share a value."""
        within = sum(_sharing(codes[here]) for here in self._members())
        return within if self.inside else _sharing(codes) - within

    def missing(self, gone: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Floats]:
        """Count the pairs by what is missing on either side; ``gone`` says it of records."""
        groups = [gone[here] for here in self._members()]
        return count_missing(groups, []) if self.inside else count_missing([gone], groups)

    def _members(self) -> Iterator[NDArray[np.bool_]]:
        parts = self.session.parts
        return (parts == number for number in self.databases)

    def _only(self, rule: str) -> str:
        if not self.databases:
            return rule
        numbers = ", ".join(map(str, self.databases))
        together = f"l.{PART} = r.{PART} and l.{PART} in ({numbers})"
        if self.inside:
            return f"{rule} and {together}"
        every = len(self.databases) == len(self.session.sizes)
        return f"{rule} and " + (f"l.{PART} <> r.{PART}" if every else f"not ({together})")


def _sharing(codes: Codes) -> int:
    return pairs_that_share(codes, np.zeros_like(codes), across=False)


def learnt_from(session: Session, without_duplicates: Sequence[int]) -> tuple[Scope, Scope | None]:
    """Return where matches are learnt, and where pairs are certain non-matches, if anywhere."""
    every = tuple(range(len(session.sizes)))
    wanted = every if session.mode == "link" else ()
    certain = Scope(session, tuple(without_duplicates), inside=True)
    others = Scope(session, every if wanted else certain.databases)
    if certain.possible and others.possible:
        return others, certain
    return Scope(session, wanted), None
