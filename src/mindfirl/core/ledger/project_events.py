"""What a ledger tells of a project besides its assignments and what leaves it.

Each of these changes rows of the database, and follows no rule but that these rows are as it tells.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DispatchProposed:
    """A dispatch was proposed; the digest is that of its plan and of what it depends on."""

    dispatch: int
    proposed_by: str
    digest: str


@dataclass(frozen=True, slots=True)
class DispatchWithdrawn:
    """A dispatch was withdrawn before it was done."""

    dispatch: int


@dataclass(frozen=True, slots=True)
class DispatchRefused:
    """Given pairs exceeded a budget, or put all people above their limit.

    What was said to suffice is in 10⁻⁹; ``exceeded`` is "budget" or "together".
    """

    dispatch: int
    sufficient: int
    exceeded: str = "budget"


@dataclass(frozen=True, slots=True)
class RulesSet:
    """What is asked of people in the project was set: each rule by its name."""

    rules: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class MemberAdded:
    """Somebody got a role in the project."""

    person: str
    role: str


@dataclass(frozen=True, slots=True)
class MemberRemoved:
    """Somebody lost a role in the project."""

    person: str
    role: str


@dataclass(frozen=True, slots=True)
class Imported:
    """Databases were imported: all records of the project are a version from here on."""

    version: int
    records: int
    databases: tuple[tuple[str, int], ...]
    digest: str


@dataclass(frozen=True, slots=True)
class DecisionsCarried:
    """What became of the pairs that people decided on in earlier versions.

    Those whose two records are unchanged are ``carried``, those with a changed one are asked
    ``again``, and those with a record that is gone are ``void``. The digest is of all of them.
    """

    version: int
    earlier: tuple[int, ...]
    carried: int
    again: int
    void: int
    digest: str


@dataclass(frozen=True, slots=True)
class VersionPreviewed:
    """A file was compared with a database, and nothing was imported; counts as they were shown."""

    database: str
    shown: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TruthJudged:
    """A version was held against a file of so many true pairs; the figures as they were shown."""

    version: int
    pairs: int
    shown: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LabelsImported:
    """Answers known from elsewhere were taken as standing decisions; the digest is of them all."""

    labels: int
    version: int
    pairs: int
    source: str
    digest: str


@dataclass(frozen=True, slots=True)
class ValuesDeleted:
    """Values of databases that came again were deleted, and the indexes of older versions.

    Each version that had them is recorded with its new digest; its pairs stay, and what was shown
    of its records.
    """

    databases: tuple[tuple[str, int], ...]
    versions: tuple[tuple[str, str], ...]
    indexes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NumbersKept:
    """The persons of a linkage got the numbers that stay with them in the project's releases.

    Says how many kept their number; ``merged`` numbers ended, ``split`` ones went on in part.
    """

    linkage: int
    persons: int
    kept: int
    merged: int
    split: int
    files: str


@dataclass(frozen=True, slots=True)
class Scored:
    """Candidate pairs of a version were found and weighed, in the place of earlier ones."""

    version: int
    pairs: int
    lower: str
    upper: str
    digest: str


@dataclass(frozen=True, slots=True)
class PairsBrought:
    """Weighed pairs were brought from elsewhere, in the place of earlier ones."""

    version: int
    pairs: int
    lower: str
    upper: str
    digest: str


@dataclass(frozen=True, slots=True)
class ThresholdsSet:
    """The thresholds between which people decide were set."""

    version: int
    lower: str
    upper: str


@dataclass(frozen=True, slots=True)
class WeightsMoved:
    """Match weights were moved as decisions say, or what was moved was undone."""

    version: int
    change: str
    digest: str


@dataclass(frozen=True, slots=True)
class ForecastMade:
    """What budgets buy was forecast; the digest is that of its figures and of what goes by them."""

    version: int
    pairs: int
    digest: str


@dataclass(frozen=True, slots=True)
class PlanSaved:
    """The plan of the project was saved."""

    revision: int
    digest: str


@dataclass(frozen=True, slots=True)
class Reported:
    """A report was made; the digest is that of its text."""

    report: int
    digest: str


@dataclass(frozen=True, slots=True)
class KeysRotated:
    """The files of the vault were sealed again: their digests before, and from here on."""

    files: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """An administrator knows that the ledger or the tables were changed, and lets work go on.

    Entries ``first`` to ``last`` are as their digest in ``lines`` says, whatever is wrong with
    them; the ``accepted`` rows differ from what entries tell, and have these digests now. ``mark``
    is how far the ledger had been when it was last written here. ``found`` says what was wrong.
    """

    first: int
    last: int
    lines: str
    accepted: tuple[tuple[str, str], ...]
    mark: int
    mark_digest: str
    found: str
    reason: str


StateEvent = (
    RulesSet
    | MemberAdded
    | MemberRemoved
    | Imported
    | DecisionsCarried
    | VersionPreviewed
    | TruthJudged
    | LabelsImported
    | NumbersKept
    | ValuesDeleted
    | Scored
    | PairsBrought
    | ThresholdsSet
    | WeightsMoved
    | ForecastMade
    | PlanSaved
    | DispatchProposed
    | DispatchWithdrawn
    | DispatchRefused
    | Reported
    | KeysRotated
    | Acknowledged
)
"""What changes rows of the project, and follows no rule but that these rows are as it tells."""
