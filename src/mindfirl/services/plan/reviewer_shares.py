"""How often each reviewer was right, on pairs whose answer is known."""

from __future__ import annotations

from typing import Final

from mindfirl.core.policy import Actor, check_may
from mindfirl.core.review.reviewer_accuracy import MeasuredShare, measured_share
from mindfirl.store.models import Project, Version
from mindfirl.store.queries.projects import current_version
from mindfirl.store.queries.votes import judged_reviewers
from mindfirl.workspace.carried_votes import state_of_votes, votes_in
from mindfirl.workspace.open_version import SingleFlightCache


def reviewer_shares(*, project: Project, actor: Actor) -> dict[str, MeasuredShare]:
    """Return the measured share of each reviewer by account; nothing where no answer is known."""
    check_may(actor, "see project")
    version = current_version(project)
    if version is None:
        return {}
    state = (version.pk, *state_of_votes(version))
    return _measured.get(project.pk, state, lambda: _shares(version))


_measured: Final[SingleFlightCache[dict[str, MeasuredShare]]] = SingleFlightCache(size=4)


def _shares(version: Version) -> dict[str, MeasuredShare]:
    judged = judged_reviewers(votes_in(version), outside=True)
    return {who: measured_share(counts) for who, counts in judged.items()}
