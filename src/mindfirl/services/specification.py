"""The specification of a linkage: written down and signed, and checked against a rerun."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from mindfirl.core.errors import DataError, SettingError
from mindfirl.core.linkage_specification import (
    FORMAT,
    SIGNATURE,
    differing_parts,
    digest_of_lines,
    digest_of_pairs,
    digest_of_persons,
    specification_text,
)
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.review.evidence import ADJUDICATOR_ACCURACY, USUAL_ACCURACY
from mindfirl.store import vault
from mindfirl.store.crypto.keys import signing_key
from mindfirl.store.crypto.sealing import is_signature, public_key, sign
from mindfirl.store.models import Linkage, Project
from mindfirl.store.queries.projects import databases_of
from mindfirl.store.queries.votes import measured_reviewers
from mindfirl.workspace.outcomes.standing import Standing, current_standing


def specification_of(*, project: Project, actor: Actor) -> dict[str, Any]:
    """Return the signed specification of the newest linkage, if it is still what linking makes."""
    check_may(actor, "audit")
    linkage = project.linkages.select_related("version", "persons").order_by("-number").first()
    if linkage is None:
        raise SettingError("Records are not linked yet. Link them first.")
    content = _content(current_standing(project))
    if content["persons"]["digest"] != _kept_digest(linkage):
        raise SettingError(
            "Pairs, thresholds or decisions changed since the records were linked. Link them again."
        )
    about = {
        "format": FORMAT,
        "software": version_of("mindfirl"),
        "project": project.name,
        "linkage": linkage.number,
        "made": linkage.created.isoformat(timespec="seconds"),
    }
    found = {**about, **content}
    key = signing_key()
    signature = {"key": public_key(key), "signature": sign(key, specification_text(found))}
    return {**found, SIGNATURE: signature}


def check_specification(*, project: Project, actor: Actor, path: Path) -> list[str]:
    """Rerun a linkage and name the parts that are not as specified; none where it is identical."""
    check_may(actor, "audit")
    given = _read(path)
    return differing_parts(given, json.loads(json.dumps(_content(current_standing(project)))))


def _read(path: Path) -> dict[str, Any]:
    mend = "Give a file that mindfirl link --specification wrote."
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        signature = found[SIGNATURE]
        sound = is_signature(signature["key"], signature["signature"], specification_text(found))
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError("this is not a linkage specification.", mend, file=path.name) from None
    if not sound or found.get("format") != FORMAT:
        raise DataError("it was changed after it was signed.", mend, file=path.name)
    return dict(found)


def _content(standing: Standing) -> dict[str, Any]:
    scoring, pairs, version = standing.scoring, standing.candidates, standing.version
    return {
        "data": {
            "version": version.number,
            "records": version.records,
            "index": version.index.digest,
            "without_duplicates": [
                each.name for each in databases_of(version) if each.without_duplicates
            ],
        },
        "pairs": {
            "number": len(pairs),
            "mode": scoring.mode,
            "remarks": list(scoring.remarks),
            "digest": digest_of_pairs(pairs.left, pairs.right, pairs.weight),
        },
        "model": json.loads(scoring.model) if scoring.model else None,
        "thresholds": {"lower": scoring.lower, "upper": scoring.upper},
        "rule": standing.rule,
        "accuracy": _accuracy(standing),
        "decisions": _decisions(standing),
        "accepted": digest_of_lines(f"{left} {right}" for left, right in standing.accepted),
        "persons": {
            "number": standing.persons.count,
            "digest": digest_of_persons(standing.persons.person),
        },
    }


def _accuracy(standing: Standing) -> dict[str, Any]:
    """Say how often people are taken to be right; of those who were measured, only the number."""
    usual = {"reviewers": USUAL_ACCURACY, "adjudicators": ADJUDICATOR_ACCURACY}
    measured = measured_reviewers(standing.votes)
    if not measured:
        return usual
    lines = (f"{who} {' '.join(f'{bits:.9f}' for bits in worth)}" for who, worth in measured)
    return {**usual, "measured": {"number": len(measured), "digest": digest_of_lines(lines)}}


def _decisions(standing: Standing) -> dict[str, Any]:
    lines = list(_lines(standing))
    return {"number": len(lines), "digest": digest_of_lines(lines)}


def _lines(standing: Standing) -> Iterator[str]:
    """Write each decision that counts as a line; only their digest is given away."""
    for (left, right), votes in standing.votes.items():
        for reviewer, said in zip(votes.reviewers, votes.given, strict=True):
            yield f"{left} {right} {votes.rule} {reviewer} {said.verdict} {said.reason or ''}"
        if votes.settled is not None:
            yield f"{left} {right} settled {votes.settled.verdict} {votes.settled.reason or ''}"


def _kept_digest(linkage: Linkage) -> str:
    person = vault.unseal(linkage.persons, ["person"]).column("person").to_numpy()
    return digest_of_persons(person)
