"""Persons: what automatic links and people's decisions join, kept as one linkage of a version."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

import numpy as np
import pyarrow as pa
from django.utils import timezone

from mindfirl.core.errors import SettingError
from mindfirl.core.ledger.events import Linked
from mindfirl.core.persons import LinkOrigin
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.progress import Progress, no_progress
from mindfirl.store import vault
from mindfirl.store.changes import working_on
from mindfirl.store.faults import fault_point
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Account, Linkage, Project
from mindfirl.store.queries.votes import measured_reviewers
from mindfirl.workspace.commits import Also, commit_files, next_number, nothing
from mindfirl.workspace.outcomes.link_probabilities import PROBABILITY, probability_of_persons
from mindfirl.workspace.outcomes.linkage_errors import describe_errors
from mindfirl.workspace.outcomes.standing import Standing, counts_of, current_standing
from mindfirl.workspace.superseded_values import delete_superseded_values

MORE_ERRORS: Final = (
    "Not linked: a sample from outside the band shows more errors than the weights predict. Raise "
    "the thresholds, review more pairs or score them again; or confirm that you accept the errors."
)

HOW: Final = {
    LinkOrigin.SINGLE: "single",
    LinkOrigin.AUTOMATIC: "automatic",
    LinkOrigin.REVIEWED: "reviewed",
}
"""How a record came to its person, in words."""


def link_records(
    *,
    project: Project,
    actor: Actor,
    account: Account | None = None,
    unsettled: bool = False,
    more_errors: bool = False,
    progress: Progress = no_progress,
    also: Also = nothing,
) -> Linkage:
    """Link the records of a project to persons, and keep the linkage.

    Contradictions must be settled or accepted before. Pairs that nobody settled go by their weights
    where votes are evidence. By any other rule they are refused, unless they are allowed to stay
    ``unsettled``: then they link nothing. Where a sample shows more errors than the weights say,
    linking is refused, unless ``more_errors`` are accepted.
    """
    check_may(actor, "link")
    with working_on(project.id), vault.staging(project.id) as sealed:
        progress("joining links", 0, 1)
        standing = current_standing(project)
        counts = counts_of(standing)
        _check(counts, unsettled=unsettled)
        errors = describe_errors(project)
        if errors["contradicted"] and not more_errors:
            raise SettingError(MORE_ERRORS)
        persons = standing.persons
        probability = probability_of_persons(standing.scoring, persons.person)
        columns = {"person": persons.person, "how": persons.origin, PROBABILITY: probability}
        table = pa.table(columns)
        sealed.append(vault.seal(project, "persons", table))
        with commit_files(project, sealed, also, ledger=True):
            made = _kept(project, standing, {**counts, "errors": errors}, account)
            made.persons = sealed[0]
            made.save()
            _tell(made, standing, counts, actor)
        delete_superseded_values(project)
    progress("joining links", 1, 1)
    fault_point("before answer")
    return made


def linkages_of(*, project: Project, actor: Actor) -> list[Linkage]:
    check_may(actor, "see project")
    found = project.linkages.select_related("account", "version")
    return list(found.order_by("-number"))


def _check(counts: dict[str, Any], *, unsettled: bool) -> None:
    if number := counts["contradictions"]:
        are = "contradiction is" if number == 1 else "contradictions are"
        raise SettingError(
            f"{number:,} {are} open: links join records that a decision or their database keeps "
            "apart. Settle or accept them first."
        )
    if counts["unsettled"] and counts["rule"] != "evidence" and not unsettled:
        raise SettingError(
            f"{counts['unsettled']:,} pairs for people are not settled. Settle them first, or "
            f"confirm that they count as not linked."
        )


def _kept(
    project: Project, standing: Standing, counts: dict[str, Any], account: Account | None
) -> Linkage:
    sizes = np.bincount(standing.persons.person)
    report = {
        **counts,
        "linked_persons": int((sizes > 1).sum()),
        "linked_records": int(sizes[sizes > 1].sum()),
        "records_by": {
            words: int((standing.persons.origin == how).sum()) for how, words in HOW.items()
        },
    }
    return Linkage(
        project=project,
        version=standing.version,
        number=next_number(project.linkages),
        created=timezone.now(),
        account=account,
        report=report,
    )


def _inputs(standing: Standing) -> list[object]:
    """Return all that the persons of a linkage follow from: weights, thresholds, votes, rule.

    Where the accuracy of reviewers was measured, it is part of that.
    """
    scoring = standing.scoring
    votes = sorted(
        (
            *(pair, each.rule, each.origin, each.reviewers),
            *([asdict(said) for said in each.given], each.settled and asdict(each.settled)),
        )
        for pair, each in standing.votes.items()
    )
    accepted = sorted(scoring.version.acceptances.values_list("left", "right"))
    inputs = [scoring.candidates.digest, scoring.lower, scoring.upper, votes, accepted]
    measured = measured_reviewers(standing.votes)
    return [*inputs, measured] if measured else inputs


def _tell(made: Linkage, standing: Standing, counts: dict[str, Any], actor: Actor) -> None:
    digests = digests_of(made.project)
    told = Linked(
        linkage=made.number,
        version=made.version.number,
        records=counts["records"],
        persons=counts["persons"],
        unsettled=counts["unsettled"],
        accepted=counts["accepted"],
        rule=counts["rule"],
        linked_by_weight=counts["linked_by_weight"],
        inputs=digests.digest("inputs", _inputs(standing)),
        digest=digests.linkage(made),
    )
    append(made.project, at=made.created, actor=actor.name, events=[told])
