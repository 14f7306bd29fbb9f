"""SQL that is written by hand: the statements that every opening and decision takes.

Django builds a query again each time, which takes several times as long as the database takes to
answer. A test holds every statement here against the ORM.
"""

from __future__ import annotations

from typing import Final

FIND_ROLES: Final = "SELECT role FROM store_membership WHERE project_id = %s AND account_id = %s"
IS_CLOSED: Final = "SELECT 1 FROM store_project WHERE id = %s AND closed IS NOT NULL"
FIND_DECIDED: Final = """
    SELECT number FROM store_assignedpair
    WHERE assignment_id = %s AND NOT withdrawn AND verdict <> ''
"""
HAS_COMMENT: Final = """
    SELECT 1 FROM store_comment said JOIN store_assignedpair pair ON pair.id = said.pair_id
    WHERE pair.assignment_id = %s LIMIT 1
"""

FIND_PAIR: Final = """
    SELECT pair.id, pair.number, pair."left", pair."right", pair.lower,
        mine.state, mine.budget, mine."limit", mine.spent, mine.shown, mine.characters
    FROM store_assignedpair pair JOIN store_assignment mine ON mine.id = pair.assignment_id
    WHERE pair.assignment_id = %s AND pair.token = %s AND NOT pair.withdrawn
"""
FIND_OPEN_CELLS: Final = "SELECT attribute, level, entry FROM store_opencell WHERE pair_id = %s"
ADD_OPEN_CELL: Final = (
    "INSERT INTO store_opencell (pair_id, attribute, level, entry) VALUES (%s, %s, %s, %s)"
)
SET_EXPLAINED: Final = "UPDATE store_assignedpair SET explained = true WHERE id = %s"
SET_SPENT: Final = "UPDATE store_assignment SET spent = %s, shown = %s WHERE id = %s"

FIND_DECISION: Final = """
    SELECT pair.id, pair.number, pair.revision, pair.verdict, pair.reason, mine.state
    FROM store_assignedpair pair JOIN store_assignment mine ON mine.id = pair.assignment_id
    WHERE pair.assignment_id = %s AND pair.token = %s AND NOT pair.withdrawn
"""
FIND_OPEN_LEVELS: Final = (
    "SELECT attribute, level FROM store_opencell WHERE pair_id = %s ORDER BY id"
)
ADD_REVISION: Final = """
    INSERT INTO store_revision (pair_id, number, at, verdict, reason, state)
    VALUES (%s, %s, %s, %s, %s, %s)
"""
SET_DECISION: Final = """
    UPDATE store_assignedpair SET revision = %s, verdict = %s, reason = %s, decided = %s
    WHERE id = %s
"""

FIND_LEDGER_HEAD: Final = (
    "SELECT entries, digest, together FROM store_ledgerhead WHERE project_id = %s"
)
ADD_LEDGER_LINE: Final = (
    "INSERT INTO store_ledgerline (project_id, number, line) VALUES (%s, %s, %s)"
)
MOVE_LEDGER_HEAD: Final = (
    "UPDATE store_ledgerhead SET entries = %s, digest = %s, together = %s WHERE project_id = %s"
)
