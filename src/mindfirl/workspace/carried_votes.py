"""What people said of pairs in all rounds, as it counts for one version.

Votes are not copied: they are read where they were given, and found by the lineage of the version.
Those on pairs whose two records are unchanged count as if they had been given in it; those that are
given later, in an assignment on an older version, follow by themselves. Votes on changed records
count nothing, and their pairs are asked again first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from mindfirl.core.lineage import Fate, Lineage
from mindfirl.engine.separation.lineages import Lineages, read_lineages
from mindfirl.store import vault
from mindfirl.store.models import Assignment, Version
from mindfirl.store.queries import plans, votes
from mindfirl.store.queries.votes import EXTERNAL, PairKey, Votes
from mindfirl.workspace.open_version import SingleFlightCache

CARRIED: Final = "carried"
"""The origin of a pair whose votes come from an earlier round."""

_lineages: Final[SingleFlightCache[Lineages]] = SingleFlightCache(size=4)


def lineages_of(version: Version) -> Lineages:
    """Return the lineages of a version, opened once; of a first import there are none."""
    if version.lineage is None:
        return Lineages((), {})
    file = version.lineage
    return _lineages.get(version.pk, (file.digest,), lambda: read_lineages(vault.unseal(file)))


def earlier_rounds(version: Version) -> list[tuple[Version, Lineage]]:
    """Return the earlier versions on which people worked, the oldest first, each with its way."""
    known = lineages_of(version).earlier
    worked = Q(assignments__isnull=False) | Q(label_sets__isnull=False)
    found = version.project.versions.filter(worked, number__in=list(known))
    return [(each, known[each.number]) for each in found.order_by("number").distinct()]


def votes_in(version: Version, *, all_ended: bool = False) -> dict[PairKey, Votes]:
    """Return what was said of every pair of a version, in it or before, as far as it stands."""
    found: dict[PairKey, Votes] = {}
    for earlier, lineage in earlier_rounds(version):
        for pair, said in votes.votes_given_in(earlier, all_ended=all_ended).items():
            fate, now = lineage.fate(pair)
            if fate == "stands" and _says_something(said):
                carried = replace(said, origin=EXTERNAL if said.origin == EXTERNAL else CARRIED)
                found[now] = _joined(found[now], carried) if now in found else carried
    for pair, said in votes.votes_given_in(version, all_ended=all_ended).items():
        found[pair] = _joined(found[pair], said) if pair in found else said
    for pair, check in _checks(version, all_ended=all_ended):
        if pair in found:
            found[pair].checks.append(check)
    votes.weigh_reviewers(found)
    return found


def _checks(version: Version, *, all_ended: bool) -> Iterator[tuple[PairKey, votes.Check]]:
    """Return the votes by which reviewers are checked, in all rounds, where records are as then."""
    for earlier, lineage in earlier_rounds(version):
        for pair, check in votes.checks_in(earlier, all_ended=all_ended):
            fate, now = lineage.fate(pair)
            if fate == "stands":
                yield now, check
    yield from votes.checks_in(version, all_ended=all_ended)


def state_of_votes(version: Version) -> tuple[Any, ...]:
    """Return what is another when people have said something else, in whichever round."""
    rounds = [each for each, _ in earlier_rounds(version)]
    return tuple(map(votes.state_of_given_votes, [*rounds, version]))


def given_pairs(version: Version, account: UUID | None = None) -> set[PairKey]:
    """Return the pairs that were given out: in this round, or before with what stands."""
    found = plans.assigned_pairs(version, account)
    for earlier, lineage in earlier_rounds(version):
        said = votes.votes_given_in(earlier)
        for pair in plans.assigned_pairs(earlier, account):
            fate, now = lineage.fate(pair)
            if fate == "stands" and pair in said and _says_something(said[pair]):
                found.add(now)
    return found


def votes_on(mine: Assignment, numbers: Iterable[int]) -> dict[int, list[votes.SealedVote]]:
    """Return what others said of pairs of an assignment, in its round or before, if it stands."""
    numbered = votes.numbered_pairs(mine, numbers)
    found = votes.given_votes_on(mine, mine.version, numbered)
    for earlier, lineage in earlier_rounds(mine.version):
        before = {
            (min(was), max(was)): number
            for pair, number in numbered.items()
            if lineage.unchanged[list(pair)].all()
            for was in [[int(lineage.before[each]) for each in pair]]
        }
        for number, said in votes.given_votes_on(mine, earlier, before).items():
            found[number] += said
    return found


def unchecked_answers(version: Version) -> set[PairKey]:
    """Return the pairs with an answer from elsewhere that nobody here was asked about."""
    return {
        pair
        for pair, said in votes_in(version).items()
        if said.origin == EXTERNAL and not (said.given or said.waiting or said.adjudicating)
    }


def pairs_to_ask_again(version: Version) -> set[PairKey]:
    """Return the pairs that people decided, and whose records changed since."""
    again = {now for fate, now in fates_of(version) if fate == "again"}
    return again - given_pairs(version)


def fates_of(version: Version) -> Iterator[tuple[Fate, PairKey]]:
    """Say of every pair that was decided, or is being, what becomes of it in a version."""
    for earlier, lineage in earlier_rounds(version):
        yield from fates_through(earlier, lineage)


def fates_through(earlier: Version, lineage: Lineage) -> Iterator[tuple[Fate, PairKey]]:
    for pair, said in votes.votes_given_in(earlier).items():
        if _says_something(said):
            yield lineage.fate(pair)


def counted_fates(fates: Iterator[tuple[Fate, PairKey]]) -> Counter[Fate]:
    """Count each pair once, by the best that becomes of it; of those that are void, all."""
    found: dict[PairKey, Fate] = {}
    counts: Counter[Fate] = Counter()
    for fate, now in fates:
        if fate == "void":
            counts[fate] += 1
        elif found.get(now) != "stands":
            found[now] = fate
    return counts + Counter(found.values())


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """Which round it is, and what became of the pairs that were decided before it."""

    number: int
    version: int
    stand: int
    again: int
    void: int


def round_summary(version: Version) -> RoundSummary | None:
    """Sum up what comes from earlier rounds; nothing in the first one."""
    earlier = earlier_rounds(version)
    if not earlier:
        return None
    counts = counted_fates(fates_of(version))
    again = len(pairs_to_ask_again(version))
    number = len(earlier) + 1
    return RoundSummary(number, version.number, counts["stands"], again, counts["void"])


def _says_something(said: Votes) -> bool:
    """Say whether somebody decided a pair, or has it to decide."""
    return bool(said.given or said.waiting or said.settled or said.adjudicating)


def _joined(older: Votes, newer: Votes) -> Votes:
    """Put votes of two rounds together; of somebody who voted in both, the newer one counts."""
    cast = zip(older.reviewers, older.given, strict=True)
    kept = [(who, said) for who, said in cast if who not in newer.reviewers]
    return Votes(
        rule=newer.rule if newer.origin else older.rule,
        origin=newer.origin or older.origin,
        given=[*(said for _, said in kept), *newer.given],
        reviewers=[*(who for who, _ in kept), *newer.reviewers],
        waiting=older.waiting + newer.waiting,
        settled=newer.settled or older.settled,
        adjudicating=older.adjudicating or newer.adjudicating,
        in_band=older.in_band or newer.in_band,
        sampled=older.sampled or newer.sampled,
    )
