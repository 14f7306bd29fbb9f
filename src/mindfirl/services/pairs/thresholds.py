"""The two thresholds, moved; and the risks of the pairs that go to people after that."""

from __future__ import annotations

from mindfirl.core.errors import ChangedMeanwhile
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.progress import Progress
from mindfirl.engine.bands import Bands
from mindfirl.engine.bands.risk_forecast import risk_table
from mindfirl.services.pairs.risks import lacking_risks, with_risks
from mindfirl.store import vault
from mindfirl.store.changes import working_on
from mindfirl.store.models import Project, Scoring
from mindfirl.store.queries.plans import state_of
from mindfirl.workspace.commits import Also, commit, commit_files, nothing
from mindfirl.workspace.open_pairs import open_pairs, required_scoring


def set_bands(
    *, project: Project, progress: Progress, bands: Bands | None = None, also: Also = nothing
) -> Scoring:
    """Set both thresholds, or leave them, and work out the risks that they need."""
    with working_on(project.id), vault.staging(project.id) as sealed:
        pairs = open_pairs(project)
        bands = bands or pairs.bands
        risks = with_risks(pairs.data, pairs.candidates, bands, pairs.risks, progress)
        if risks is not pairs.risks:
            sealed.append(vault.seal(project, "risks", risk_table(risks)))
        with commit_files(project, sealed, also):
            scoring = pairs.scoring
            scoring.lower, scoring.upper = bands.lower, bands.upper
            scoring.risks = sealed[0] if sealed else scoring.risks
            scoring.save()
    return scoring


def move_thresholds(*, project: Project, actor: Actor, seen: str, bands: Bands) -> bool:
    """Set both thresholds at once, if the pairs are still in the state that was seen.

    Return whether risks are lacking: working them out takes long, and is left to ``set_bands``.
    """
    check_may(actor, "find pairs")
    with working_on(project.id), commit():
        scoring = required_scoring(project)
        if state_of(scoring) != seen:
            raise ChangedMeanwhile
        scoring.lower, scoring.upper = bands.lower, bands.upper
        scoring.save(update_fields=["lower", "upper"])
    pairs = open_pairs(project)
    return len(lacking_risks(pairs.data, pairs.candidates, bands, pairs.risks)) > 0
