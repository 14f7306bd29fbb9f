"""Digests of rows for the ledger, under a key of the project that is sealed under its identity key.

A plain digest of a verdict could be guessed; without the key these tell nothing. When the project's
keys are rotated the key is sealed again; when they are destroyed it is gone with them.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from mindfirl.core.errors import VaultBroken, VaultShredded
from mindfirl.store import hot_path as sql
from mindfirl.store.crypto import sealing
from mindfirl.store.crypto.keys import read_key
from mindfirl.store.ledger.writer import written

if TYPE_CHECKING:
    from mindfirl.store import models

_USE: Final = b"mindfirl digests in a ledger"


def new_digest_key(project: UUID, identity_key: str) -> bytes:
    """Make the key of a project's digests, sealed."""
    return _sealed(project, identity_key, sealing.new_key())


def reseal_digest_key(project: models.Project, identity_key: str) -> bytes:
    """Seal the key of a project's digests under another identity key."""
    key = _unsealed(project.pk, project.identity_key, bytes(project.digest_key))
    return _sealed(project.pk, identity_key, key)


def digests_of(project: models.Project) -> RowDigests:
    """Open the key of a project as it is now, while nobody else changes it."""
    found = sql.row(sql.FIND_DIGEST_KEY, project.pk)
    assert found is not None
    return opened_digests(project.pk, *found)


def opened_digests(project: UUID, identity_key: str, sealed: bytes) -> RowDigests:
    return RowDigests(_unsealed(project, identity_key, sealed))


def _sealed(project: UUID, identity_key: str, key: bytes) -> bytes:
    return sealing.seal(_own(project, identity_key), key, bound=project.bytes)


def _unsealed(project: UUID, identity_key: str, sealed: bytes) -> bytes:
    if not identity_key:
        raise VaultShredded
    try:
        return sealing.unseal(_own(project, identity_key), bytes(sealed), bound=project.bytes)
    except sealing.SealBroken:
        raise VaultBroken("digests", "has a key that was changed or exchanged") from None


def _own(project: UUID, identity_key: str) -> bytes:
    return sealing.derive_key(read_key(project, "identity", identity_key), _USE)


_RULES: Final = (
    "managers_may_review",
    "second_person",
    "second_factor",
    "idle_minutes",
    "synthetic",
    "fewest_records",
    "least_persons",
    "stable_numbers",
    "pass_mark",
)
"""What of a project changes what is asked of people, or allowed to them."""
_YES_OR_NO: Final = {True: "yes", False: "no"}


def rules_of(project: models.Project) -> tuple[tuple[str, str], ...]:
    """Write the rules of a project as its ledger tells them."""
    values = ((name, getattr(project, name)) for name in _RULES)
    return tuple((name.replace("_", " "), _rule(value)) for name, value in values)


def _rule(value: bool | int) -> str:  # noqa: FBT001  # a field of either kind
    return _YES_OR_NO[value] if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class RowDigests:
    """Digests of rows as they are stored; ``originals`` has the first digests of files.

    A file that is sealed again under another key has another digest, and the same content.
    """

    key: bytes = field(repr=False)
    originals: Mapping[str, str] = field(default_factory=dict)

    def digest(self, what: str, *content: object) -> str:
        text = json.dumps([what, _plain(content)], sort_keys=True, separators=(",", ":"))
        return hmac.new(self.key, text.encode("ascii"), hashlib.sha256).hexdigest()

    def decision(
        self, of: tuple[str, int, int], said: tuple[str, str], at: datetime, state: object
    ) -> str:
        """Digest a decision: its assignment, pair and number; verdict and reason; time; levels."""
        return self.digest("decision", of, said, written(at), state)

    def decisions(self, assignment: str, latest: Iterable[tuple[int, int, str, str]]) -> str:
        """Digest the latest decisions of an assignment: pair, revision, verdict and reason."""
        return self.digest("decisions", assignment, sorted(latest))

    def comment(self, of: tuple[str, int, int], words: str, at: datetime) -> str:
        return self.digest("comment", of, words, written(at))

    def pairs(self, assignment: str, pairs: Iterable[models.AssignedPair]) -> str:
        """Digest which pairs an assignment has: positions, order, origin, weight, tokens."""
        ordered = sorted(pairs, key=lambda pair: pair.number)
        return self.digest(
            "pairs",
            assignment,
            [
                (
                    *(each.number, each.token, each.left, each.right),
                    *(each.weight, each.origin, each.ring, each.lower),
                )
                for each in ordered
            ],
        )

    def terms(self, mine: models.Assignment) -> str:
        """Digest an assignment, apart from what changes while it is under way."""
        about = (mine.pk, mine.account_id, mine.dispatch.number, mine.version.number, mine.kind)
        fixed = (mine.size, mine.settings, mine.attributes, mine.population, mine.continues_id)
        return self.digest("assignment", about, fixed, self._file(mine.adviser))

    def dispatch(self, dispatch: models.Dispatch) -> str:
        about = (dispatch.number, dispatch.kind, dispatch.proposed_by_id)
        return self.digest("dispatch", about, dispatch.plan)

    def version(self, version: models.Version) -> str:
        """Digest an import version: its schema, index and databases with their files."""
        members = version.members.select_related(
            "database__identity", "database__sensitive", "database__joining"
        )
        return self.digest(
            "version",
            (version.number, version.schema, version.records, version.index_digest),
            self._file(version.index),
            self._file(version.lineage),
            [(each.first, *self._database(each.database)) for each in members.order_by("first")],
            *([self._file(version.frozen)] if version.frozen else []),
        )

    def _database(self, database: models.Database) -> tuple[object, ...]:
        files = (database.identity, database.sensitive, database.joining)
        about = (database.name, database.records, database.without_duplicates, database.report)
        return (*about, *map(self._file, files))

    def scoring(self, scoring: models.Scoring) -> str:
        """Digest candidate pairs with their weights and the model that gave these."""
        about = (scoring.version.number, scoring.mode, scoring.model, scoring.pairs)
        files = (scoring.candidates, scoring.version.prices)
        return self.digest("scoring", about, *map(self._file, files))

    def forecast(self, forecast: models.Forecast) -> str:
        """Digest a forecast: its figures, and what suggests steps and chooses pairs."""
        about = (forecast.version.number, forecast.lower, forecast.upper, forecast.account_id)
        counts = (forecast.pairs, forecast.reviewed, forecast.content)
        files = (forecast.adviser, forecast.prospects)
        return self.digest("forecast", about, counts, *map(self._file, files))

    def label_set(self, labels: models.LabelSet, answers: Iterable[models.KnownAnswer]) -> str:
        """Digest answers from elsewhere, and where they come from."""
        about = (labels.number, labels.version.number, labels.source, labels.pairs)
        known = sorted((each.left, each.right, each.same) for each in answers)
        return self.digest("labels", about, known)

    def plan(self, plan: models.Plan, people: Iterable[models.PlannedPerson]) -> str:
        planned = [(str(each.account_id), each.role, each.share, each.budget) for each in people]
        return self.digest("plan", plan.revision, plan.content, sorted(planned))

    def acceptance(self, accepted: models.Acceptance) -> str:
        about = (accepted.version.number, accepted.number, accepted.left, accepted.right)
        return self.digest("acceptance", about, accepted.reason, accepted.account_id)

    def linkage(self, linkage: models.Linkage) -> str:
        """Digest the persons of a linkage, and what is said of them."""
        about = (linkage.number, linkage.version.number, linkage.account_id)
        return self.digest("linkage", about, linkage.report, self._file(linkage.persons))

    def release(self, release: models.Release) -> str:
        """Digest a release: its choices and findings, apart from whether these are settled."""
        found = [_unsettled(each) for each in release.report["findings"]]
        about = (release.number, release.linkage.number, release.account_id, release.expires)
        return self.digest("release", about, release.choices, {**release.report, "findings": found})

    def release_files(self, release: models.Release) -> str:
        """Digest the files of a release; only where person numbers stay, one says what changed."""
        changes = (release.changes,) if release.changes else ()
        return self.files(release.data, release.numbers, *changes)

    def report(self, report: models.Report) -> str:
        return self.digest("report", report.number, report.account_id, report.text)

    def files(self, *files: models.SealedFile | None) -> str:
        return self.digest("files", [self._file(each) for each in files])

    def _file(self, file: models.SealedFile | None) -> tuple[str, str] | None:
        if file is None:
            return None
        return file.kind, self.originals.get(file.digest, file.digest)


def _unsettled(finding: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in finding.items() if name not in ("proposed", "settled")}


def _plain(value: object) -> object:
    """Write values in one way, whichever database gave them back: numbers in JSON may change."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        value = value or 0  # minus zero, which PostgreSQL does not keep in JSON
        return repr(float(value)) if isinstance(value, float) or abs(value) < _EXACT else str(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, Sequence):
        return [_plain(each) for each in value]
    return str(value)


_EXACT: Final = 1 << 53
"""Whole numbers below this are the same as floating-point numbers."""
