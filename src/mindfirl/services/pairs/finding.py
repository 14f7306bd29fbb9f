"""Pairs found by scoring or brought from elsewhere; they replace earlier ones in one commit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mindfirl.core.errors import SettingError
from mindfirl.core.progress import Progress
from mindfirl.engine.bands.burden import bands_for_rates
from mindfirl.engine.bands.risk_forecast import NO_RISKS, risk_table
from mindfirl.engine.pairs.candidates import Candidates, candidates_table
from mindfirl.engine.pairs.scored_files import read_external
from mindfirl.engine.scoring.blocking import Blocking, Mode, choose_blocking, default_most
from mindfirl.engine.scoring.engines import Engine
from mindfirl.engine.scoring.run import score_pairs
from mindfirl.services.pairs.risks import with_risks
from mindfirl.store import vault
from mindfirl.store.changes import check_open, working_on
from mindfirl.store.faults import fault_point
from mindfirl.store.models import Project, Scoring
from mindfirl.store.queries.projects import starts_of
from mindfirl.workspace.commits import Also, commit_files, nothing
from mindfirl.workspace.open_version import OpenVersion, open_project
from mindfirl.workspace.single_flight import SingleFlightCache


@dataclass(frozen=True, slots=True)
class Blocked:
    """Which pairs will be compared, and how many."""

    mode: Mode
    records: int
    most: int
    blocking: Blocking


_plans: Final[SingleFlightCache[Blocking]] = SingleFlightCache(size=16)


def plan_pairs(*, project: Project, mode: Mode | None = None, most: int | None = None) -> Blocked:
    """Choose which pairs to compare: by default across databases, or within the only one."""
    data = open_project(project)
    version, starts = data.version, starts_of(data.version)
    chosen: Mode = mode or ("link" if len(starts) > 1 else "dedupe")
    if chosen != "dedupe" and len(starts) < 2:  # noqa: PLR2004  # linking needs two
        raise SettingError("Linking needs two databases, and the project has one: use dedupe.")
    limit = most or default_most(version.records)

    def blocking() -> Blocking:
        columns = data.coded_columns()
        return choose_blocking(data.schema, columns, starts, mode=chosen, most=limit)

    found = _plans.get(project.id, (version.index_id, chosen, limit), blocking)
    return Blocked(chosen, version.records, limit, found)


def find_pairs(
    *,
    project: Project,
    blocked: Blocked,
    engine: Engine,
    seed: int,
    progress: Progress,
    also: Also = nothing,
) -> Scoring:
    """Score the planned pairs, and keep them in the place of earlier ones."""
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
        progress=progress,
    )
    return _keep(project, data, _Scored(found, blocked.mode, model.to_json(), []), progress, also)


def bring_pairs(
    *,
    project: Project,
    path: Path,
    mode: Mode | None,
    progress: Progress,
    name: str | None = None,
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
    return _keep(project, data, scored, progress, also)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Scored:
    candidates: Candidates
    mode: Mode
    model: str
    remarks: list[str]


def _keep(
    project: Project, data: OpenVersion, scored: _Scored, progress: Progress, also: Also
) -> Scoring:
    found = scored.candidates
    bands = bands_for_rates(found)
    with working_on(project.id), vault.staging(project.id) as sealed:
        risks = with_risks(data, found, bands, NO_RISKS, progress)
        for kind, table in (("pairs", candidates_table(found)), ("risks", risk_table(risks))):
            sealed.append(vault.seal(project, kind, table))
        with commit_files(project, sealed, also):
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
    fault_point("before answer")
    return scoring
