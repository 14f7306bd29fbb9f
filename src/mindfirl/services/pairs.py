"""Candidate pairs: found by scoring or brought from elsewhere, cut into three bands.

The pairs live in the vault. A new scoring of a version replaces the old one as a whole, in one
commit; what is cut off before it leaves the old one as it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
from django.db import transaction

from mindfirl.core.errors import ChangedMeanwhile, SettingError, VaultShredded
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.population.arrays import restore_index
from mindfirl.engine.bands import (
    Bands,
    Curve,
    Settlement,
    bands_for_rates,
    burden_curve,
    settle_candidates,
)
from mindfirl.engine.bands.evaluation import Evaluation, evaluate_bands
from mindfirl.engine.bands.risk_forecast import (
    NO_RISKS,
    ExpectedRisks,
    expected_risks,
    risk_table,
    risks_of,
)
from mindfirl.engine.pairs.candidates import Candidates, Positions, candidates_of, candidates_table
from mindfirl.engine.pairs.record_ids import RecordIds, alone
from mindfirl.engine.pairs.scored_files import read_external
from mindfirl.engine.pairs.truth import read_truth
from mindfirl.engine.schema.files import SchemaFile, parse_schema
from mindfirl.engine.scoring.blocking import Blocking, Mode, choose_blocking, default_most
from mindfirl.engine.scoring.engines import Engine
from mindfirl.engine.scoring.model import Model
from mindfirl.engine.scoring.run import score_pairs
from mindfirl.engine.separation.index_tables import coded_columns, index_arrays
from mindfirl.engine.separation.separate import RECORD
from mindfirl.store import vault
from mindfirl.store.changes import check_open, working_on
from mindfirl.store.faults import reach
from mindfirl.store.models import Project, Scoring, Version
from mindfirl.store.queries.pairs import scoring_of, state_of
from mindfirl.store.queries.projects import current_version, databases_of, starts_of
from mindfirl.workspace.single_flight import AtHand

Progress = Callable[[str, int, int], None]
"""Called with what is being done, the number of steps done and of all steps."""

MOST_RISKS: Final = 20_000
"""For so many pairs for people at the most the risk ahead is worked out: the middle first."""
MORE_RISKS: Final = 3_000
"""And for so many others next to them, so that moved limits show at once what they could cost."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """Which pairs will be compared, and how many: said before anything is done."""

    mode: Mode
    records: int
    most: int
    blocking: Blocking


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pairs:
    """The scored pairs of a version, with their bands and risks.

    ``alone`` gives for each record the number of its database if that knows everybody once, else
    -1; ``attributes`` is how many cells a row has; ``curve`` sums up what the model expects.
    """

    version: Version
    candidates: Candidates
    curve: Curve
    alone: Positions
    attributes: int
    bands: Bands
    risks: ExpectedRisks
    model: Model | None
    mode: Mode
    remarks: tuple[str, ...]

    @property
    def settlement(self) -> Settlement:
        """What becomes of every pair."""
        return settle_candidates(self.candidates, self.bands, self.alone)


def nothing() -> None:
    """Record nothing else."""


def plan_pairs(*, project: Project, mode: Mode | None = None, most: int | None = None) -> Blocked:
    """Choose which pairs to compare: by default across databases, or within the only one."""
    version = _version(project)
    starts = starts_of(version)
    chosen: Mode = mode or ("link" if len(starts) > 1 else "dedupe")
    if chosen != "dedupe" and len(starts) < 2:  # noqa: PLR2004  # linking needs two
        raise SettingError("Linking needs two databases, and the project has one: use dedupe.")
    limit = most or default_most(version.records)

    def blocking() -> Blocking:
        schema = _schema(version).schema
        columns = coded_columns(schema, index_arrays(vault.unseal(version.index)))
        return choose_blocking(schema, columns, starts, mode=chosen, most=limit)

    found = _plans.get(project.id, (version.index_id, chosen, limit), blocking)
    return Blocked(chosen, version.records, limit, found)


_plans: Final[AtHand[Blocking]] = AtHand(most=16)


def find_pairs(
    *,
    project: Project,
    blocked: Blocked,
    engine: Engine,
    seed: int,
    progress: Progress,
    also: Callable[[], None] = nothing,
) -> Scoring:
    """Score the planned pairs, and keep them in the place of earlier ones.

    What is ``also`` to be recorded is so in the same commit; where it fails, nothing is kept.
    """
    check_open(project.id)
    version = _version(project)
    schema = _schema(version).schema
    progress("opening the identities", 0, 1)
    identities = [
        vault.unseal(database.identity, schema.names) for database in databases_of(version)
    ]
    found, model = score_pairs(
        identities,
        schema,
        blocked.blocking,
        mode=blocked.mode,
        engine=engine,
        seed=seed,
        progress=progress,
    )
    scored = _Scored(found, blocked.mode, model.to_json(), [])
    return _keep(project, version, scored, progress, also)


def bring_pairs(
    *,
    project: Project,
    path: Path,
    mode: Mode | None,
    progress: Progress,
    name: str | None = None,
    also: Callable[[], None] = nothing,
) -> Scoring:
    """Keep scored pairs from elsewhere, in the place of earlier ones.

    The file may have another name than its path says. What is ``also`` to be recorded is so in the
    same commit; where it fails, nothing is kept.
    """
    check_open(project.id)
    version = _version(project)
    progress("reading the pairs", 0, 1)
    schema, linking = _schema(version), len(starts_of(version)) > 1
    chosen: Mode = mode or ("link" if linking else "dedupe")
    named = schema.record_id if isinstance(schema.record_id, str) else None
    brought = read_external(
        path, record_ids(version), name=name, within=chosen != "link", id_column=named
    )
    scored = _Scored(brought.candidates, chosen, "", list(brought.remarks))
    return _keep(project, version, scored, progress, also)


def set_bands(
    *,
    project: Project,
    progress: Progress,
    bands: Bands | None = None,
    also: Callable[[], None] = nothing,
) -> Scoring:
    """Move the two limits; work out the risks of pairs that now go to people, where unknown.

    Where no limits are given, they stay where they stand by now. What is ``also`` to be recorded is
    so in the same commit; where it fails, nothing is kept.
    """
    with working_on(project.id), vault.staging(project.id) as sealed:
        pairs = scored_pairs(project)
        bands = bands or pairs.bands
        risks = _risks(pairs.version, pairs.candidates, bands, pairs.risks, progress)
        if risks is not pairs.risks:
            sealed.append(vault.seal(project, "risks", risk_table(risks)))
        reach("before commit")
        with transaction.atomic():
            vault.record(sealed)
            scoring = pairs.version.scoring
            scoring.lower, scoring.upper = bands.lower, bands.upper
            scoring.risks = sealed[0] if sealed else scoring.risks
            scoring.save()
            unused = vault.forget_unused(project)
            also()
        reach("after commit")
        vault.remove(project.id, unused)
    return scoring


def move_limits(*, project: Project, actor: Actor, seen: str, bands: Bands) -> bool:
    """Keep the two limits.

    It is done at once. What remains, where some risks are not known, is long work: ``set_bands``;
    whether it remains is returned. ``seen`` is the state from which the limits were moved.
    """
    check_may(actor, "find pairs")
    with working_on(project.id), transaction.atomic():
        scoring = _scoring(project)
        if state_of(scoring) != seen:
            raise ChangedMeanwhile
        scoring.lower, scoring.upper = bands.lower, bands.upper
        scoring.save(update_fields=["lower", "upper"])
    pairs = pairs_at_hand(project)
    return len(_unknown(pairs.candidates, bands, pairs.alone, pairs.risks)) > 0


def scored_pairs(project: Project) -> Pairs:
    """Open the pairs of a project's newest version."""
    return _opened(_scoring(project))


def pairs_at_hand(project: Project) -> Pairs:
    """Return the pairs without their levels, still open if they were opened for this before."""
    scoring = _scoring(project)
    files = (scoring.candidates_id, scoring.risks_id)
    found = _at_hand.get(project.id, files, lambda: _opened(scoring, ["left", "right", "weight"]))
    return replace(found, bands=Bands(scoring.lower, scoring.upper))


_at_hand: Final[AtHand[Pairs]] = AtHand(most=4)


def _opened(scoring: Scoring, columns: list[str] | None = None) -> Pairs:
    """Open pairs: all that is known about them, or some columns."""
    version = scoring.version
    found = candidates_of(vault.unseal(scoring.candidates, columns))
    return Pairs(
        version=version,
        candidates=found,
        curve=burden_curve(found),
        alone=_alone(version),
        attributes=len(_schema(version).schema.names),
        bands=Bands(scoring.lower, scoring.upper),
        risks=risks_of(vault.unseal(scoring.risks)),
        model=Model.from_json(scoring.model) if scoring.model else None,
        mode=cast("Mode", scoring.mode),
        remarks=tuple(scoring.remarks),
    )


def record_ids(version: Version) -> RecordIds:
    """Return the record ids of all databases of a version."""
    return RecordIds.of(
        {
            database.name: vault.unseal(database.identity, [RECORD])
            for database in databases_of(version)
        }
    )


def evaluated(*, project: Project, truth: Path) -> Evaluation:
    """Hold the pairs of a project against the truth."""
    pairs = scored_pairs(project)
    known = read_truth(truth, record_ids(pairs.version), within=pairs.mode != "link")
    return evaluate_bands(pairs.candidates, pairs.bands, known, pairs.alone)


def describe(pairs: Pairs, *, kappa: int = 1) -> dict[str, Any]:
    """Describe pairs in plain values: bands, what they ask of people, and what that could cost."""
    return {
        "pairs": len(pairs.candidates),
        "lower": pairs.bands.lower,
        "upper": pairs.bands.upper,
        **burden_of(pairs, pairs.bands, kappa=kappa),
        "remarks": list(pairs.remarks),
        "model": json.loads(pairs.model.to_json()) if pairs.model else None,
    }


def burden_of(pairs: Pairs, bands: Bands, *, kappa: int = 1) -> dict[str, Any]:
    """Say what any bands would ask of people, and what that could cost; nothing is kept.

    K is that of the pairs for people whose risks are known; ``K_known`` says how many these are.
    ``expected_links`` is how many true links the model expects among all pairs.
    """
    found = pairs.curve.at(bands.lower, bands.upper)
    done = settle_candidates(pairs.candidates, bands, pairs.alone)
    review = np.flatnonzero(done.sent)
    return {
        "links": int(done.linked.sum()),
        "review": len(review),
        "contested": int(done.contested.sum()),
        "settled": int(done.settled.sum()),
        "non_links": found.non_links,
        "expected_links": float(pairs.curve.missed_links[0]),
        "expected_false_links": found.false_links,
        "expected_missed_links": found.missed_links,
        "K": pairs.risks.score(review, attributes=pairs.attributes, kappa=kappa),
        "K_known": pairs.risks.known(review),
    }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Scored:
    """Pairs on their way into the vault."""

    candidates: Candidates
    mode: Mode
    model: str
    remarks: list[str]


def _keep(
    project: Project,
    version: Version,
    scored: _Scored,
    progress: Progress,
    also: Callable[[], None],
) -> Scoring:
    """Put scored pairs and their risks into the vault, in one commit."""
    found = scored.candidates
    bands = bands_for_rates(found)
    with working_on(project.id), vault.staging(project.id) as sealed:
        risks = _risks(version, found, bands, NO_RISKS, progress)
        for kind, table in (("pairs", candidates_table(found)), ("risks", risk_table(risks))):
            sealed.append(vault.seal(project, kind, table))
        reach("before commit")
        with transaction.atomic():
            vault.record(sealed)
            Scoring.objects.filter(version=version).delete()
            scoring = Scoring.objects.create(
                version=version,
                mode=scored.mode,
                model=scored.model,
                remarks=scored.remarks,
                pairs=len(found),
                candidates=sealed[0],
                lower=bands.lower,
                upper=bands.upper,
                risks=sealed[1],
            )
            unused = vault.forget_unused(project)
            also()
        reach("after commit")
        vault.remove(project.id, unused)
    reach("before answer")
    return scoring


def _risks(
    version: Version, candidates: Candidates, bands: Bands, known: ExpectedRisks, progress: Progress
) -> ExpectedRisks:
    """Work out the risks of the pairs for people and of those next to them, where unknown."""
    chosen = _unknown(candidates, bands, _alone(version), known)
    if not len(chosen):
        return known
    index = restore_index(_schema(version).schema, index_arrays(vault.unseal(version.index)))
    found = expected_risks(index, candidates, chosen, progress=partial(progress, "risk ahead"))
    return known.joined(found)


def _unknown(
    candidates: Candidates, bands: Bands, alone: Positions, known: ExpectedRisks
) -> Positions:
    """Return which risks to work out: none if those of the pairs for people are known."""
    sent = settle_candidates(candidates, bands, alone).sent
    away = np.abs(candidates.weight - (bands.lower + bands.upper) / 2)
    order = np.lexsort((away, ~sent))
    return known.lacking(order, needed=min(int(sent.sum()), MOST_RISKS), more=MORE_RISKS)


def _scoring(project: Project) -> Scoring:
    _version(project)
    scoring = scoring_of(project)
    if scoring is None:
        raise SettingError(
            "The pairs of this project have not been found yet. Run mindfirl pairs NAME."
        )
    return scoring


def _version(project: Project) -> Version:
    if project.shredded:
        raise VaultShredded  # though some of it may be at hand
    version = current_version(project)
    if version is None:
        raise SettingError("Nothing was imported yet. Run mindfirl import NAME FILE…")
    return version


def _schema(version: Version) -> SchemaFile:
    return parse_schema(version.schema, "the project's schema")


def _alone(version: Version) -> Positions:
    """Return the number of each record's database if that knows everybody once, else -1."""
    return alone((each.records, each.without_duplicates) for each in databases_of(version))
