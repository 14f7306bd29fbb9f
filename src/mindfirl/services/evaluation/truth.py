"""A file of true pairs, judged in the browser: figures alone, rounded, and told in the ledger.

Whoever brings a file chooses which pairs are counted. So no figure may tell of one pair: counts are
rounded after noise is added, few judgements are made of a version, and each is an entry.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

from mindfirl.core.errors import DataError, SettingError
from mindfirl.core.ledger.project_events import TruthJudged
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.progress import Progress, no_progress
from mindfirl.core.small_counts import ENOUGH, blurred_count
from mindfirl.services.evaluation import Judgement, evaluated
from mindfirl.store.changes import working_on
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Project
from mindfirl.store.queries.judgements import truth_judgements
from mindfirl.workspace.commits import Also, commit, nothing
from mindfirl.workspace.open_pairs import open_pairs

FEWEST_PAIRS: Final = 100
MOST_JUDGEMENTS: Final = 5
"""So often each version can be judged: noise cannot be averaged away."""

Noise = Callable[[], int]


def random_noise() -> int:
    """Return a number from −9 to 9, near 0 more often."""
    return secrets.randbelow(ENOUGH) - secrets.randbelow(ENOUGH)


def judge_truth(
    *,
    project: Project,
    actor: Actor,
    path: Path,
    name: str | None = None,
    noise: Noise = random_noise,
    progress: Progress = no_progress,
    also: Also = nothing,
) -> TruthJudged:
    """Hold the pairs of the newest version against a file of the truth, and tell it in the ledger.

    ``name`` is what the file was called.
    """
    check_may(actor, "find pairs")
    version = open_pairs(project).version.number
    _check_may_ask(project, version)
    progress("comparing with the truth", 0, 1)
    found = evaluated(project=project, truth=path, name=name)
    pairs = found.bands.true_pairs
    if pairs < FEWEST_PAIRS:
        rule = f"it has fewer than {FEWEST_PAIRS} true pairs."
        mend = f"Give at least {FEWEST_PAIRS}: figures of fewer would tell of single pairs."
        raise DataError(rule, mend, file=name or path.name)
    told = TruthJudged(version, pairs, tuple(_shown(found, noise).items()))
    with working_on(project.id), commit(ledger=project):
        _check_may_ask(project, version)
        append(project, actor=actor.name, events=[told])
        also()
    return told


def _check_may_ask(project: Project, version: int) -> None:
    if len(truth_judgements(project, version)) >= MOST_JUDGEMENTS:
        raise SettingError(
            f"This version was compared with the truth {MOST_JUDGEMENTS} times. That is the most: "
            f"many comparisons would tell of single pairs. Import a new version first."
        )


def _shown(found: Judgement, noise: Noise) -> dict[str, str]:
    """Write the figures; those that follow from others are worked out of what is shown."""
    made, true_pairs = found.unreviewed, found.bands.true_pairs
    linked = min(blurred_count(made.right, noise()), true_pairs)
    false_links = blurred_count(found.false_links, noise())
    return {
        "precision": _share(linked, linked + false_links),
        "recall": _share(linked, true_pairs),
        "linked": _about(linked),
        "for people": _about(blurred_count(found.bands.sent.true_pairs, noise())),
        "false links": _about(false_links),
        "missed": _about(blurred_count(found.missed, noise())),
        "never compared": _about(blurred_count(found.never_compared, noise())),
        "expected false links": _range(found.stated.false_links.to_json()),
        "expected missed": _range(found.stated.missed_to_json),
        "expected never compared": _range(found.stated.never_compared_to_json),
    }


def _about(count: int) -> str:
    return f"about {count:,}" if count else f"fewer than {ENOUGH}"


def _share(part: int, whole: int) -> str:
    """Write a share in whole percent; all of it, or nothing, is known to the nearest ten alone."""
    if not whole:
        return "not known"
    least = max(part - ENOUGH, 0) if part == whole else part
    shown = f"{100 * least // whole}%"
    return f"at least {shown}" if part == whole else f"about {shown}"


def _range(ends: list[int] | None) -> str:
    return f"{ends[0]:,} to {ends[1]:,}" if ends else "not known"
