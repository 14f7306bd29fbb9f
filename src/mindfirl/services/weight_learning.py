"""What decisions say about the match weights: proposed, applied when a manager agrees, undone.

Applied, the weights of all pairs are moved and stored in the place of the model's, which are kept
beside them. So every page, the dispatch and the linkage go by the moved weights, a proposal is
always about the model's, and undoing brings these back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.errors import ChangedMeanwhile, SettingError
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.review.evidence import dividing_weight
from mindfirl.core.review.learnt_offset import (
    FOLDS,
    DecidedPairs,
    Learnt,
    learn_shift,
    moved_weights,
)
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.weight_bins import weight_bins
from mindfirl.engine.pairs.candidates import MODEL_WEIGHT, candidates_of, pair_keys
from mindfirl.store import vault
from mindfirl.store.changes import working_on
from mindfirl.store.models import Project, Scoring
from mindfirl.store.queries.plans import state_of
from mindfirl.store.queries.votes import PairKey, Votes, evidence_of
from mindfirl.workspace.carried_votes import state_of_votes, votes_in
from mindfirl.workspace.commits import commit_files, nothing
from mindfirl.workspace.open_pairs import required_scoring
from mindfirl.workspace.open_version import SingleFlightCache
from mindfirl.workspace.verification.ledger_of_pairs import tell_thresholds, tell_weights

MOST_LEARNT_FROM: Final = 5_000
"""Of more decided pairs, as many are drawn."""
_SEED: Final = 15
_REMARK: Final = "Match weights were moved"
"""How the remark begins that is kept with moved weights."""
_COLUMNS: Final = ["left", "right", "weight", MODEL_WEIGHT]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LearntProposal:
    """What decisions say, and what moving the weights would change against those in use.

    ``gained`` and ``lost`` count links between two records, ``for_people`` the pairs in the band.
    """

    learnt: Learnt
    applied: bool
    gained: int = 0
    lost: int = 0
    for_people: int = 0
    for_people_now: int = 0
    changes: bool = False
    """Whether there is something to apply."""
    under_review: int = 0
    """Pairs whose decisions can still change: they count once they are submitted."""


_proposals: Final[SingleFlightCache[LearntProposal]] = SingleFlightCache(size=4)


def proposal_of(*, project: Project, actor: Actor) -> LearntProposal | None:
    """Return what decisions say about the weights; nothing where nobody decided anything yet."""
    check_may(actor, "see pairs")
    scoring = required_scoring(project)
    votes = state_of_votes(scoring.version)
    if all(last is None for last, *_ in votes):
        return None
    state = (scoring.pk, scoring.lower, scoring.upper, *votes)
    return _proposals.get(project.pk, state, lambda: _with_waiting(scoring))


def _with_waiting(scoring: Scoring) -> LearntProposal:
    waiting = sum(each.waiting > 0 for each in votes_in(scoring.version).values())
    return replace(_proposal(_decided(scoring)), under_review=waiting)


def apply_proposal(*, project: Project, actor: Actor, seen: str) -> None:
    """Move the weights of all pairs as decisions say; the pairs must be those that were seen."""
    check_may(actor, "find pairs")
    with working_on(project.id):
        scoring = _seen(project, seen)
        decided = _decided(scoring)
        learnt = learn_shift(decided.pairs)
        if learnt.obstacle is not None:
            raise SettingError("The decisions no longer support adjusting the weights.")
        moved = moved_weights(learnt, decided.model_weight, decided.fold)
        _store(actor, scoring, moved, [*_remarks(scoring), _remark(learnt)])


def undo(*, project: Project, actor: Actor, seen: str) -> None:
    """Bring the model's own weights back."""
    check_may(actor, "find pairs")
    with working_on(project.id):
        scoring = _seen(project, seen)
        table = vault.unseal(scoring.candidates, [MODEL_WEIGHT])
        if MODEL_WEIGHT not in table.column_names:
            raise SettingError("The match weights are the model's own: there is nothing to undo.")
        _store(actor, scoring, table.column(MODEL_WEIGHT).to_numpy(), _remarks(scoring))


def _seen(project: Project, seen: str) -> Scoring:
    scoring = required_scoring(project)
    if state_of(scoring) != seen:
        raise ChangedMeanwhile
    return scoring


def _remarks(scoring: Scoring) -> list[str]:
    return [each for each in scoring.remarks if not each.startswith(_REMARK)]


def _remark(learnt: Learnt) -> str:
    slope = f" and stretched by {learnt.shift.slope:.2f}" if learnt.shift.slope != 1 else ""
    return (
        f"{_REMARK} by {learnt.shift.offset:+.2f}{slope}, as {learnt.decided:,} decided pairs say."
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Decided:
    """All pairs of a scoring, and those that people decided."""

    scoring: Scoring
    weight: Floats
    model_weight: Floats
    applied: bool
    vote_bits: Floats
    final: NDArray[np.bool_]
    fold: Ints
    """Of each pair the fold of its decision; -1 where there is none."""
    pairs: DecidedPairs


def _decided(scoring: Scoring) -> _Decided:
    table = vault.unseal(scoring.candidates, _COLUMNS)
    columns = {name: table.column(name).to_numpy() for name in table.column_names}
    left, right, weight = (columns[name] for name in ("left", "right", "weight"))
    model = columns.get(MODEL_WEIGHT, weight)
    votes = {pair: each for pair, each in votes_in(scoring.version).items() if _counts(each)}
    places = _places(left, right, votes)
    said = [votes[pair] for pair in places]
    numbers = np.array(list(places.values()), dtype=np.int64)
    bits, final = np.zeros(len(left)), np.zeros(len(left), dtype=np.bool_)
    bits[numbers] = [
        evidence_of(each, 0.0, lower=scoring.lower, upper=scoring.upper).vote_bits for each in said
    ]
    final[numbers] = [each.settled is not None for each in said]
    fold = np.full(len(left), -1)
    fold[numbers] = (left + right)[numbers] % FOLDS
    pairs = _learnt_from(said, model[numbers], fold[numbers], scoring)
    return _Decided(scoring, weight, model, MODEL_WEIGHT in columns, bits, final, fold, pairs)


def _counts(votes: Votes) -> bool:
    """Say whether a pair was reviewed; what only adjudicators had was chosen as a conflict."""
    return bool(votes.origin and votes.given)


def _places(left: Ints, right: Ints, votes: Mapping[PairKey, Votes]) -> dict[PairKey, int]:
    wanted = np.array(list(votes), dtype=np.int64).reshape(-1, 2)
    own = np.flatnonzero(
        np.isin(pair_keys(left, right), pair_keys(wanted[:, 0], wanted[:, 1]))
    ).tolist()
    return {(int(left[number]), int(right[number])): number for number in own}


def _learnt_from(said: list[Votes], weight: Floats, fold: Ints, scoring: Scoring) -> DecidedPairs:
    sides = [[decision.same for decision in each.given] for each in said]
    settled = [each.settled.same if each.settled else None for each in said]
    found = DecidedPairs(
        weight=weight,
        same=np.array([each.count(True) for each in sides], dtype=np.int64),
        different=np.array([each.count(False) for each in sides], dtype=np.int64),
        settled=np.array([_SIGNS[each] for each in settled], dtype=np.int64),
        outside=np.asarray((weight <= scoring.lower) | (weight >= scoring.upper)),
        fold=fold,
    )
    told = np.flatnonzero(found.same + found.different + np.abs(found.settled) > 0)
    drawn = np.random.default_rng(_SEED).permutation(told)[:MOST_LEARNT_FROM]
    return found.some(np.isin(np.arange(len(found)), drawn))


_SIGNS: Final = {True: 1, False: -1, None: 0}


def _proposal(decided: _Decided) -> LearntProposal:
    learnt = learn_shift(decided.pairs)
    if learnt.obstacle is not None:
        return LearntProposal(learnt, decided.applied)
    scoring = decided.scoring
    divide = dividing_weight(scoring.lower, scoring.upper)
    moved = moved_weights(learnt, decided.model_weight, decided.fold)
    now, then = (
        (weight + decided.vote_bits > divide) & ~decided.final for weight in (decided.weight, moved)
    )
    in_band, in_band_then = (
        int(((weight > scoring.lower) & (weight < scoring.upper)).sum())
        for weight in (decided.weight, moved)
    )
    if now.any() and not then.any():
        return LearntProposal(replace(learnt, obstacle="too large"), decided.applied)
    return LearntProposal(
        learnt,
        decided.applied,
        gained=int((then & ~now).sum()),
        lost=int((now & ~then).sum()),
        for_people=in_band_then,
        for_people_now=in_band,
        changes=not np.array_equal(moved, decided.weight),
    )


def _store(actor: Actor, scoring: Scoring, weight: Floats, remarks: list[str]) -> None:
    """Replace the scoring by one with these weights, heaviest first."""
    project = scoring.version.project
    table = vault.unseal(scoring.candidates)
    model = MODEL_WEIGHT if MODEL_WEIGHT in table.column_names else "weight"
    kept = table.column(model).to_numpy()
    own = np.array_equal(kept, weight)
    left, right = (table.column(name).to_numpy() for name in ("left", "right"))
    order = np.lexsort((right, left, -weight))
    columns = {name: table.column(name) for name in table.column_names if name != MODEL_WEIGHT}
    columns["weight"] = pa.chunked_array([weight])
    moved = pa.table(columns if own else {**columns, MODEL_WEIGHT: kept}).take(pa.array(order))
    bands = Bands(scoring.lower, scoring.upper)
    if scoring.model:
        bands = weight_bins(candidates_of(moved)).snapped(bands)
    with vault.staging(project.id) as sealed:
        sealed.append(vault.seal(project, "pairs", moved))
        with commit_files(project, sealed, nothing, ledger=True):
            Scoring.objects.filter(pk=scoring.pk).delete()
            stored = Scoring.objects.create(
                version=scoring.version,
                mode=scoring.mode,
                model=scoring.model,
                remarks=remarks,
                pairs=scoring.pairs,
                candidates=sealed[0],
                lower=bands.lower,
                upper=bands.upper,
            )
            tell_weights(stored, actor, applied=not own)
            if bands != Bands(scoring.lower, scoring.upper):
                tell_thresholds(stored, actor)
