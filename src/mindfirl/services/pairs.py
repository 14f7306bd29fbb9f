"""Candidate pairs: found by scoring or brought from elsewhere, and cut into three bands.

New pairs replace earlier ones in one commit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mindfirl.core.errors import ChangedMeanwhile, SettingError
from mindfirl.core.policy import COMMAND_LINE, Actor, check_may
from mindfirl.core.progress import Progress
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.engine.bands.band_choice import bands_of_size, decisive_bands, no_links
from mindfirl.engine.bands.burden import Bands, bands_for_rates
from mindfirl.engine.bands.weight_bins import binned_bands_of_size, weight_bins
from mindfirl.engine.pairs.candidates import (
    Candidates,
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
from mindfirl.workspace.open_pairs import OpenPairs, open_scoring, required_scoring
from mindfirl.workspace.open_version import OpenVersion, SingleFlightCache, open_project
from mindfirl.workspace.outcomes.linkage_errors import describe_errors
from mindfirl.workspace.price_tables import draw_price_table, price_table, usual_terms
from mindfirl.workspace.verification.ledger_of_pairs import tell_scoring, tell_thresholds


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
        raise SettingError("Linking needs two databases; the project has one. Use dedupe.")
    limit = most or default_most(version.records)
    written = tuple(dict.fromkeys(read_rule(rule, data.schema) for rule in own))
    if source == "own" and not written:
        raise SettingError("Enter at least one rule of your own, or choose other rules.")

    def count() -> tuple[Blocking, Blocking]:
        identities = [vault.unseal(each.identity, data.schema.names) for each in data.databases]
        records = comparable_records(identities, data.schema, across=chosen == "link")
        exact = choose_blocking(data.schema, records.coded(), starts, mode=chosen, most=limit)
        return exact, records.counted(written)

    exact, counted = _plans.get(project.id, (version.index_id, chosen, limit, written), count)
    if counted.total > limit:
        raise SettingError(
            f"Your own rules make {counted.total:,} comparisons; {limit:,} are allowed. "
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
    if scored.model:
        bands = weight_bins(found).snapped(bands)
    with working_on(project.id), vault.staging(project.id) as sealed:
        sealed.append(vault.seal(project, "pairs", candidates_table(found)))
        if data.version.prices is None:
            sealed.append(vault.seal(project, "prices", draw_price_table(data, progress)))
        with commit_files(project, sealed, also, ledger=True):
            Scoring.objects.filter(version=data.version).delete()
            if len(sealed) > 1:
                data.version.prices = sealed[1]
                data.version.save(update_fields=["prices"])
            scoring = Scoring.objects.create(
                version=data.version,
                mode=scored.mode,
                model=scored.model,
                remarks=scored.remarks,
                pairs=len(found),
                candidates=sealed[0],
                lower=bands.lower,
                upper=bands.upper,
            )
            tell_scoring(scoring, actor)
    fault_point("before answer")
    return scoring


def _default_bands(project: Project, found: Candidates) -> Bands:
    """Send to people what one vote can decide if votes are evidence; else what could be wrong."""
    plan, _revision = planned(project) or (ReviewPlan(), 0)
    return decisive_bands() if plan.rule == "evidence" else bands_for_rates(found)


def set_bands(*, project: Project, bands: Bands, actor: Actor = COMMAND_LINE) -> Scoring:
    """Set both thresholds, at the nearest edges of bins where the weights are our own."""
    with working_on(project.id), commit(ledger=project):
        return _moved(required_scoring(project), bands, actor)


def _moved(scoring: Scoring, wished: Bands, actor: Actor) -> Scoring:
    bands = open_scoring(scoring).snapped(wished)
    if bands != Bands(scoring.lower, scoring.upper):
        scoring.lower, scoring.upper = bands.lower, bands.upper
        scoring.save(update_fields=["lower", "upper"])
        tell_thresholds(scoring, actor)
    return scoring


DECISIONS_AN_HOUR: Final = 60


def pairs_in_hours(project: Project, hours: float) -> int:
    """Return how many pairs people can review in hours of work, as often as the plan says."""
    plan, _revision = planned(project) or (ReviewPlan(), 0)
    return int(hours * DECISIONS_AN_HOUR / plan.reviews)


def bands_for(pairs: OpenPairs, count: int) -> Bands:
    """Return the bands that send as nearly this many pairs to people as thresholds can."""
    alone = pairs.data.without_duplicates
    wished = bands_of_size(pairs.candidates, count, alone)
    if pairs.bins is None:
        return wished
    return binned_bands_of_size(pairs.candidates, pairs.bins, wished, count, alone)


def usual_bands(pairs: OpenPairs) -> Bands:
    """Return the bands that send every pair to people that a vote could decide otherwise."""
    return pairs.snapped(_default_bands(pairs.version.project, pairs.candidates))


def move_thresholds(*, project: Project, actor: Actor, seen: str, bands: Bands) -> None:
    """Set both thresholds, if the pairs are still in the state that was seen."""
    check_may(actor, "find pairs")
    with working_on(project.id), commit(ledger=project):
        scoring = required_scoring(project)
        if state_of(scoring) != seen:
            raise ChangedMeanwhile
        _moved(scoring, bands, actor)


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


def burden_of(pairs: OpenPairs, wished: Bands, *, kappa: int = 1) -> dict[str, Any]:
    """Say what any bands would ask of people, and what that costs at the prices of the version."""
    bands = pairs.snapped(wished)
    done = pairs.settlement if bands == pairs.bands else pairs.settle(bands)
    review = int(done.sent.sum())
    prices = price_table(pairs.data, usual_terms(pairs.data)).prices(kappa)
    return {
        "links": int(done.linked.sum()),
        "review": review,
        "contested": int(done.contested.sum()),
        "settled": int(done.settled.sum()),
        "non_links": pairs.curve.at(bands.lower, bands.upper).non_links,
        "bands": [bands.lower, bands.upper],
        "K": {"partial": prices.partial, "full": prices.full}
        if review
        else {"partial": 0.0, "full": 0.0},
    }
