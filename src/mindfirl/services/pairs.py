"""Candidate pairs: found by scoring or brought from elsewhere, and cut into three bands.

New pairs replace earlier ones in one commit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from mindfirl.core.errors import ChangedMeanwhile, SettingError
from mindfirl.core.policy import COMMAND_LINE, Actor, check_may
from mindfirl.core.progress import Progress
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.engine.bands.band_choice import decisive_bands, no_links
from mindfirl.engine.bands.burden import Bands, bands_for_rates
from mindfirl.engine.bands.risk_forecast import NO_RISKS, ExpectedRisks, expected_risks, risk_table
from mindfirl.engine.bands.settlement import settle_candidates
from mindfirl.engine.pairs.candidates import (
    Candidates,
    Positions,
    candidates_table,
)
from mindfirl.engine.pairs.scored_files import read_external
from mindfirl.engine.scoring.blocking import (
    NO_RULES,
    Blocking,
    Mode,
    RuleSource,
    choose_blocking,
    default_most,
)
from mindfirl.engine.scoring.engines import Engine
from mindfirl.engine.scoring.keyed_records import comparable_records, read_rule
from mindfirl.engine.scoring.model import Model
from mindfirl.engine.scoring.run import score_pairs
from mindfirl.store import vault
from mindfirl.store.changes import check_open, working_on
from mindfirl.store.faults import fault_point
from mindfirl.store.models import Project, Scoring
from mindfirl.store.queries.plans import planned, state_of
from mindfirl.store.queries.projects import starts_of
from mindfirl.workspace.commits import Also, commit, commit_files, nothing
from mindfirl.workspace.ledger_of_pairs import tell_scoring, tell_thresholds
from mindfirl.workspace.linkage_errors import describe_errors
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs, required_scoring
from mindfirl.workspace.open_version import OpenVersion, SingleFlightCache, open_project

MOST_RISKS: Final = 20_000
"""Risks are worked out for this many pairs for people at the most, the middle of the band first."""
MORE_RISKS: Final = 3_000
"""And for this many others next to them, so that moved thresholds show at once what they cost."""


def with_risks(
    data: OpenVersion,
    candidates: Candidates,
    bands: Bands,
    known: ExpectedRisks,
    progress: Progress,
) -> ExpectedRisks:
    """Add the risks that bands need and that are not known; the same object if none are lacking."""
    lacking = lacking_risks(data, candidates, bands, known)
    if not len(lacking):
        return known
    found = expected_risks(
        data.index(), candidates, lacking, progress=partial(progress, "risk ahead")
    )
    return known.joined(found)


def lacking_risks(
    data: OpenVersion, candidates: Candidates, bands: Bands, known: ExpectedRisks
) -> Positions:
    """Return which risks to work out: none if those of the pairs for people are known.

    Where people get none, it is those around the band.
    """
    sent = settle_candidates(candidates, bands, data.without_duplicates).sent
    away = np.abs(candidates.weight - (bands.lower + bands.upper) / 2)
    order = np.lexsort((away, ~sent))
    needed = min(max(int(sent.sum()), 1), MOST_RISKS)
    return known.lacking(order, needed=needed, more=MORE_RISKS)


@dataclass(frozen=True, slots=True)
class Blocked:
    """Which pairs are to be compared: by exact rules, to learn by, and by which to find pairs."""

    mode: Mode
    records: int
    most: int
    blocking: Blocking
    own: Blocking = NO_RULES
    source: RuleSource = "derived"

    @property
    def own_and_exact(self) -> Blocking:
        return self.own + self.blocking

    @property
    def left(self) -> int:
        """How many comparisons are left for rules that are still to be derived."""
        return self.most - self.own.total if self.source == "derived" else 0


_plans: Final[SingleFlightCache[tuple[Blocking, Blocking]]] = SingleFlightCache(size=16)


def plan_pairs(
    *,
    project: Project,
    mode: Mode | None = None,
    most: int | None = None,
    source: RuleSource = "derived",
    own: Sequence[str] = (),
) -> Blocked:
    """Choose which pairs to compare: by default across databases, or within the only one.

    ``own`` are rules that a manager wrote. They are added to the derived or exact ones, or take
    their place.
    """
    data = open_project(project)
    version, starts = data.version, starts_of(data.version)
    chosen: Mode = mode or ("link" if len(starts) > 1 else "dedupe")
    if chosen != "dedupe" and len(starts) < 2:  # noqa: PLR2004  # linking needs two
        raise SettingError("Linking needs two databases, and the project has one: use dedupe.")
    limit = most or default_most(version.records)
    written = tuple(dict.fromkeys(read_rule(rule, data.schema) for rule in own))
    if source == "own" and not written:
        raise SettingError("Write at least one rule of your own, or choose other rules.")

    def count() -> tuple[Blocking, Blocking]:
        identities = [vault.unseal(each.identity, data.schema.names) for each in data.databases]
        records = comparable_records(identities, data.schema, across=chosen == "link")
        exact = choose_blocking(data.schema, records.coded(), starts, mode=chosen, most=limit)
        return exact, records.counted(written)

    exact, counted = _plans.get(project.id, (version.index_id, chosen, limit, written), count)
    if counted.total > limit:
        raise SettingError(
            f"Your own rules make {counted.total:,} comparisons, and {limit:,} are allowed. "
            f"Allow at least {counted.total:,}, or write stricter rules."
        )
    return Blocked(chosen, version.records, limit, exact, counted, source)


def find_pairs(
    *,
    project: Project,
    blocked: Blocked,
    engine: Engine,
    seed: int,
    progress: Progress,
    actor: Actor = COMMAND_LINE,
    also: Also = nothing,
) -> Scoring:
    check_open(project.id)
    data = open_project(project)
    progress("opening the identities", 0, 1)
    identities = [vault.unseal(each.identity, data.schema.names) for each in data.databases]
    found, model = score_pairs(
        identities,
        data.schema,
        blocked.blocking,
        mode=blocked.mode,
        engine=engine,
        seed=seed,
        without_duplicates=[
            number for number, each in enumerate(data.databases) if each.without_duplicates
        ],
        source=blocked.source,
        own=blocked.own,
        most=blocked.most,
        progress=progress,
    )
    remarks = [*filter(None, [model.cannot_tell]), *model.warnings]
    scored = _Scored(found, blocked.mode, model.to_json(), remarks, may_link=not model.cannot_tell)
    return _keep(project, data, scored, actor, progress=progress, also=also)


def bring_pairs(
    *,
    project: Project,
    path: Path,
    mode: Mode | None,
    progress: Progress,
    name: str | None = None,
    actor: Actor = COMMAND_LINE,
    also: Also = nothing,
) -> Scoring:
    """Keep scored pairs from a file, in the place of earlier ones; ``name`` is its own name."""
    check_open(project.id)
    data = open_project(project)
    progress("reading the pairs", 0, 1)
    chosen: Mode = mode or ("link" if len(data.databases) > 1 else "dedupe")
    record_id = data.schema_file.record_id
    brought = read_external(
        path,
        data.record_ids(),
        name=name,
        within=chosen != "link",
        id_column=record_id if isinstance(record_id, str) else None,
    )
    scored = _Scored(brought.candidates, chosen, "", list(brought.remarks))
    return _keep(project, data, scored, actor, progress=progress, also=also)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Scored:
    candidates: Candidates
    mode: Mode
    model: str
    remarks: list[str]
    may_link: bool = True


def _keep(
    project: Project,
    data: OpenVersion,
    scored: _Scored,
    actor: Actor,
    *,
    progress: Progress,
    also: Also,
) -> Scoring:
    found = scored.candidates
    bands = _default_bands(project, found) if scored.may_link else no_links(found)
    with working_on(project.id), vault.staging(project.id) as sealed:
        risks = with_risks(data, found, bands, NO_RISKS, progress)
        for kind, table in (("pairs", candidates_table(found)), ("risks", risk_table(risks))):
            sealed.append(vault.seal(project, kind, table))
        with commit_files(project, sealed, also, ledger=True):
            Scoring.objects.filter(version=data.version).delete()
            scoring = Scoring.objects.create(
                version=data.version,
                mode=scored.mode,
                model=scored.model,
                remarks=scored.remarks,
                pairs=len(found),
                candidates=sealed[0],
                lower=bands.lower,
                upper=bands.upper,
                risks=sealed[1],
            )
            tell_scoring(scoring, actor)
    fault_point("before answer")
    return scoring


def _default_bands(project: Project, found: Candidates) -> Bands:
    """Send to people what one vote can decide if votes are evidence; else what could be wrong."""
    plan, _revision = planned(project) or (ReviewPlan(), 0)
    return decisive_bands() if plan.rule == "evidence" else bands_for_rates(found)


def set_bands(
    *,
    project: Project,
    progress: Progress,
    bands: Bands | None = None,
    actor: Actor = COMMAND_LINE,
    also: Also = nothing,
) -> Scoring:
    """Set both thresholds, or leave them, and work out the risks that they need."""
    with working_on(project.id), vault.staging(project.id) as sealed:
        pairs = open_pairs(project)
        bands = bands or pairs.bands
        risks = with_risks(pairs.data, pairs.candidates, bands, pairs.risks, progress)
        if risks is not pairs.risks:
            sealed.append(vault.seal(project, "risks", risk_table(risks)))
        with commit_files(project, sealed, also, ledger=True):
            scoring = pairs.scoring
            moved = bands != pairs.bands
            scoring.lower, scoring.upper = bands.lower, bands.upper
            scoring.risks = sealed[0] if sealed else scoring.risks
            scoring.save()
            if moved:
                tell_thresholds(scoring, actor)
    return scoring


DECISIONS_AN_HOUR: Final = 60


def pairs_in_hours(project: Project, hours: float) -> int:
    """Return how many pairs people can review in hours of work, as often as the plan says."""
    plan, _revision = planned(project) or (ReviewPlan(), 0)
    return int(hours * DECISIONS_AN_HOUR / plan.reviews)


def move_thresholds(*, project: Project, actor: Actor, seen: str, bands: Bands) -> bool:
    """Set both thresholds at once, if the pairs are still in the state that was seen.

    Return whether risks are lacking: working them out takes long, and is left to ``set_bands``.
    """
    check_may(actor, "find pairs")
    with working_on(project.id), commit(ledger=project):
        scoring = required_scoring(project)
        if state_of(scoring) != seen:
            raise ChangedMeanwhile
        scoring.lower, scoring.upper = bands.lower, bands.upper
        scoring.save(update_fields=["lower", "upper"])
        tell_thresholds(scoring, actor)
    pairs = open_pairs(project)
    return len(lacking_risks(pairs.data, pairs.candidates, bands, pairs.risks)) > 0


def rules_used(scoring: Scoring) -> Blocking:
    """Return the rules that found the pairs; none if they were brought from elsewhere."""
    return Model.from_json(scoring.model).blocking if scoring.model else NO_RULES


def describe(pairs: OpenPairs, *, kappa: int = 1) -> dict[str, Any]:
    scoring = pairs.scoring
    return {
        "pairs": len(pairs.candidates),
        "lower": pairs.bands.lower,
        "upper": pairs.bands.upper,
        **burden_of(pairs, pairs.bands, kappa=kappa),
        "errors": describe_errors(pairs.version.project),
        "remarks": list(scoring.remarks),
        "model": json.loads(scoring.model) if scoring.model else None,
    }


def burden_of(pairs: OpenPairs, bands: Bands, *, kappa: int = 1) -> dict[str, Any]:
    """Say what any bands would ask of people, and what that could cost.

    K is that of the pairs for people whose risks are known; ``K_known`` says how many these are.
    """
    done = pairs.settlement if bands == pairs.bands else pairs.settle(bands)
    review = np.flatnonzero(done.sent)
    return {
        "links": int(done.linked.sum()),
        "review": len(review),
        "contested": int(done.contested.sum()),
        "settled": int(done.settled.sum()),
        "non_links": pairs.curve.at(bands.lower, bands.upper).non_links,
        "K": pairs.risks.score(review, attributes=pairs.attributes, kappa=kappa),
        "K_known": pairs.risks.known(review),
    }
