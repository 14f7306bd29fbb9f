"""The tables of the database. No personal value of a record stands in any of them.

``accounts``
    who signs in, their second factor, their open sessions, and links that let them in once.
``projects``
    projects and who is in them, their import versions and databases, and the files of the vault.
``uploads``
    files that came in by the browser, and the columns they hold.
``pairs``
    scored pairs of a version, and their bands.
``forecasts``
    what budgets buy for the pairs of a version.
``jobs``
    long work, how far it is, and how it ended.
``review``
    plans, dispatches, assignments and their pairs.
``openings``
    what was opened in the pairs of assignments, what was decided and said about them.
``linkage``
    contradictions accepted, persons, releases of them, and who got what.
``ledger``
    the lines of each project's ledger, its head, and those that were signed.
``reports``
    what was disclosed, as it was reported.
"""

from mindfirl.store.models.accounts import (
    AccessLink,
    Account,
    OpenSession,
    RecoveryCode,
    SecondFactor,
)
from mindfirl.store.models.forecasts import Forecast
from mindfirl.store.models.jobs import Job
from mindfirl.store.models.ledger import LedgerHead, LedgerLine, SignedHead
from mindfirl.store.models.linkage import Acceptance, Handover, Linkage, Release
from mindfirl.store.models.openings import Comment, OpenCell, Revision
from mindfirl.store.models.pairs import Scoring
from mindfirl.store.models.projects import (
    Database,
    Member,
    Membership,
    Project,
    SealedFile,
    Version,
)
from mindfirl.store.models.reports import Report
from mindfirl.store.models.review import AssignedPair, Assignment, Dispatch, Plan, PlannedPerson
from mindfirl.store.models.uploads import ColumnsDraft, Upload

__all__ = [
    "Acceptance",
    "AccessLink",
    "Account",
    "AssignedPair",
    "Assignment",
    "ColumnsDraft",
    "Comment",
    "Database",
    "Dispatch",
    "Forecast",
    "Handover",
    "Job",
    "LedgerHead",
    "LedgerLine",
    "Linkage",
    "Member",
    "Membership",
    "OpenCell",
    "OpenSession",
    "Plan",
    "PlannedPerson",
    "Project",
    "RecoveryCode",
    "Release",
    "Report",
    "Revision",
    "Scoring",
    "SealedFile",
    "SecondFactor",
    "SignedHead",
    "Upload",
    "Version",
]
