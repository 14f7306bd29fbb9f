"""What a ledger tells of: data, pairs and plans, what people opened and decided, what left.

Events hold names of columns, levels, numbers, and what a manager gives as a reason; never a value.
People are named as actors are (``core.policy``). A ``digest`` is that of rows of the database, made
under a key of the project: it tells nothing to others, and any change of the rows shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mindfirl.core.ledger.project_events import (
    Acknowledged,
    DecisionsCarried,
    DispatchProposed,
    DispatchRefused,
    DispatchWithdrawn,
    ForecastMade,
    Imported,
    KeysRotated,
    LabelsImported,
    MemberAdded,
    MemberRemoved,
    NumbersKept,
    PairsBrought,
    PlanSaved,
    Reported,
    RulesSet,
    Scored,
    StateEvent,
    ThresholdsSet,
    TruthJudged,
    ValuesDeleted,
    VersionPreviewed,
    WeightsMoved,
)
from mindfirl.core.review.opening import Refusal
from mindfirl.core.values.schema import Accounting, Level


@dataclass(frozen=True, slots=True)
class DispatchConfirmed:
    """A dispatch was confirmed: from here on its assignments are given out."""

    dispatch: int
    proposed_by: str
    confirmed_by: str


@dataclass(frozen=True, slots=True)
class Dispatched:
    """An assignment was given out; all that its score depends on is fixed from here on.

    Its pairs are numbered from 1. ``starting`` is the level at which cells start, ``lower`` names
    the single cells that start below it; ``charge`` is what the starting levels cost. ``person`` is
    who got it, ``dispatch`` the number of the dispatch, ``due`` a day in ISO form, and
    ``continues`` the assignment whose rest it takes over; where there is none, nothing or 0.
    ``terms_digest`` is that of the assignment, ``pairs_digest`` that of its pairs in their order.
    """

    assignment: str
    population: str
    pairs: int
    attributes: tuple[str, ...]
    kappa: int
    accounting: Accounting
    budget: int
    settings: tuple[tuple[str, str], ...] = ()
    starting: tuple[tuple[str, Level], ...] = ()
    lower: tuple[tuple[int, str, Level], ...] = ()
    charge: int = 0
    person: str = ""
    dispatch: int = 0
    due: str = ""
    continues: str = ""
    terms_digest: str = ""
    pairs_digest: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """Cells of a pair were opened to a level, for a charge in units."""

    assignment: str
    pair: int
    cells: tuple[str, ...]
    level: Level
    charge: int


@dataclass(frozen=True, slots=True)
class Refused:
    """An opening was refused and cost nothing."""

    assignment: str
    pair: int
    cells: tuple[str, ...]
    level: Level
    reason: Refusal


@dataclass(frozen=True, slots=True)
class Decided:
    """A pair was decided, differently from before, or a decision was taken back."""

    assignment: str
    pair: int
    revision: int
    digest: str


@dataclass(frozen=True, slots=True)
class Commented:
    """A comment on a pair was written, changed or taken back."""

    assignment: str
    pair: int
    revision: int
    digest: str


@dataclass(frozen=True, slots=True)
class PairsWithdrawn:
    """Pairs of an assignment were given to others."""

    assignment: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BudgetRaised:
    """The budget of an assignment was raised, in whole 10⁻⁹, for a reason."""

    assignment: str
    budget: int
    reason: str


@dataclass(frozen=True, slots=True)
class DueMoved:
    """An assignment is due on another day, in ISO form, or on none."""

    assignment: str
    due: str


@dataclass(frozen=True, slots=True)
class Paused:
    """Nothing can be opened in an assignment until it is resumed."""

    assignment: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """A paused assignment goes on."""

    assignment: str


@dataclass(frozen=True, slots=True)
class Ended:
    """An assignment was closed for good; its pairs and charges stay what they are."""

    assignment: str
    reason: str


@dataclass(frozen=True, slots=True)
class Submitted:
    """An assignment was decided by its person, and closed for good, with these decisions."""

    assignment: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Explained:
    """Somebody asked what the weight of a pair is made of, and was told."""

    assignment: str
    pair: int


@dataclass(frozen=True, slots=True)
class ContradictionAccepted:
    """Links that contradict each other were let stand, for a reason."""

    acceptance: int
    reason: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Linked:
    """The records of an import version were put together to persons.

    ``unsettled`` counts the pairs that nobody settled. By the rule "evidence" they go by their
    weights, and ``linked_by_weight`` of them were linked; by any other they count as non-links.
    ``accepted`` counts the contradictions that were accepted. ``inputs`` is the digest of weights,
    thresholds, votes and rule, ``digest`` that of the persons.
    """

    linkage: int
    version: int
    records: int
    persons: int
    unsettled: int
    accepted: int
    rule: str = "unanimous"
    linked_by_weight: int = 0
    inputs: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Released:
    """Linked data were made and checked; ``blocked`` counts what the check found.

    ``digest`` is that of the choices and the findings, ``files`` that of what can be downloaded,
    ``coverage`` that of what later releases are compared with.
    """

    release: int
    linkage: int
    rows: int
    columns: tuple[str, ...]
    blocked: int
    state: str = ""
    digest: str = ""
    files: str = ""
    coverage: str = ""


@dataclass(frozen=True, slots=True)
class FindingProposed:
    """Somebody gave a reason to accept a finding; somebody else has to confirm it."""

    release: int
    column: str
    finding: str
    reason: str


@dataclass(frozen=True, slots=True)
class FindingSettled:
    """What the check of a release found in a column was accepted, for a reason.

    ``proposed_by`` is who gave it, where a second person confirmed it.
    """

    release: int
    column: str
    finding: str
    count: int
    reason: str
    proposed_by: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class HandedOver:
    """Somebody got a release, the crosswalk to it, or (of release 0) the decisions as labels."""

    release: int
    what: str
    person: str


@dataclass(frozen=True, slots=True)
class ReleaseDeleted:
    """A release was deleted, and its key with it."""

    release: int
    reason: str


@dataclass(frozen=True, slots=True)
class DatabaseConfirmed:
    """A second person confirmed a small database, or one of many nearly equal records."""

    database: str
    reason: str


@dataclass(frozen=True, slots=True)
class UnreadableAccepted:
    """Columns were imported although more than a fifth of their cells cannot be read."""

    database: str
    names: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Closed:
    """The project was closed for good."""

    reason: str


@dataclass(frozen=True, slots=True)
class Shredded:
    """The keys of the project's vault were destroyed: nobody can open its data again."""

    keys: int


ProjectEvent = (
    StateEvent
    | DatabaseConfirmed
    | UnreadableAccepted
    | ContradictionAccepted
    | Linked
    | Released
    | FindingProposed
    | FindingSettled
    | HandedOver
    | ReleaseDeleted
    | Closed
    | Shredded
)
"""What concerns no assignment."""

AfterClosing = (
    FindingProposed
    | FindingSettled
    | HandedOver
    | ReleaseDeleted
    | Reported
    | Shredded
    | KeysRotated
    | Acknowledged
)
"""What can still happen when a project is closed."""

Distrusted = DispatchProposed | DispatchConfirmed | Dispatched | Released | HandedOver
"""What is refused in a project that was tampered with, until somebody acknowledges that."""

AssignmentEvent = (
    Opened
    | Refused
    | Explained
    | Decided
    | Commented
    | PairsWithdrawn
    | BudgetRaised
    | DueMoved
    | Paused
    | Resumed
    | Ended
    | Submitted
)
"""What happens in an assignment that was given out."""

Event = DispatchConfirmed | Dispatched | AssignmentEvent | ProjectEvent

EVENTS: Final[dict[str, type[Event]]] = {
    "rules set": RulesSet,
    "member added": MemberAdded,
    "member removed": MemberRemoved,
    "imported": Imported,
    "decisions carried": DecisionsCarried,
    "version previewed": VersionPreviewed,
    "truth judged": TruthJudged,
    "labels imported": LabelsImported,
    "numbers kept": NumbersKept,
    "values deleted": ValuesDeleted,
    "scored": Scored,
    "pairs brought": PairsBrought,
    "thresholds set": ThresholdsSet,
    "weights moved": WeightsMoved,
    "forecast made": ForecastMade,
    "plan saved": PlanSaved,
    "dispatch proposed": DispatchProposed,
    "dispatch withdrawn": DispatchWithdrawn,
    "dispatch refused": DispatchRefused,
    "dispatch confirmed": DispatchConfirmed,
    "dispatched": Dispatched,
    "opened": Opened,
    "refused": Refused,
    "decided": Decided,
    "commented": Commented,
    "pairs withdrawn": PairsWithdrawn,
    "budget raised": BudgetRaised,
    "due moved": DueMoved,
    "paused": Paused,
    "resumed": Resumed,
    "ended": Ended,
    "submitted": Submitted,
    "explained": Explained,
    "database confirmed": DatabaseConfirmed,
    "unreadable accepted": UnreadableAccepted,
    "contradiction accepted": ContradictionAccepted,
    "linked": Linked,
    "released": Released,
    "finding proposed": FindingProposed,
    "finding settled": FindingSettled,
    "handed over": HandedOver,
    "release deleted": ReleaseDeleted,
    "reported": Reported,
    "closed": Closed,
    "shredded": Shredded,
    "keys rotated": KeysRotated,
    "acknowledged": Acknowledged,
}
KINDS: Final[dict[type[Event], str]] = {event: kind for kind, event in EVENTS.items()}
"""What each event is called in a ledger, and back."""
