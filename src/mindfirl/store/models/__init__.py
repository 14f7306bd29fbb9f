"""The tables of the database. No personal value of a record stands in any of them."""

from mindfirl.store.models.accounts import (
    AccessLink,
    Account,
    OpenSession,
    RecoveryCode,
    SecondFactor,
)
from mindfirl.store.models.ledger import LedgerHead, LedgerLine, SignedHead
from mindfirl.store.models.linkage import Acceptance, Handover, Linkage, Release, Report
from mindfirl.store.models.projects import (
    ColumnsDraft,
    Database,
    Job,
    Member,
    Membership,
    Project,
    SealedFile,
    Upload,
    Version,
)
from mindfirl.store.models.review import (
    AssignedPair,
    Assignment,
    Comment,
    Dispatch,
    Forecast,
    OpenCell,
    Plan,
    PlannedPerson,
    Revision,
    Scoring,
)

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
