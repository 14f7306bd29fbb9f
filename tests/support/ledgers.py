"""The ledger of a project, read and checked without the database's other tables."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from mindfirl.core.errors import LedgerBroken
from mindfirl.core.ledger.project_events import RulesSet
from mindfirl.core.ledger.replay import AssignmentBalance, Head, read, replay, verify_chain
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.store.crypto.keys import create_key
from mindfirl.store.ledger.digests import new_digest_key, rules_of
from mindfirl.store.ledger.writer import append, head_of, lines
from mindfirl.store.models import Project
from mindfirl.workspace.commits import commit


def project_without_entries(name: str = "study") -> Project:
    """Make a project whose ledger is empty, not even the rules of the project in it."""
    number = uuid4()
    key = create_key(number, "identity")
    return Project.objects.create(
        id=number,
        name=name,
        identity_key=key,
        digest_key=new_digest_key(number, key),
        synthetic=True,
    )


def set_rules(project: Project, **rules: Any) -> None:
    """Set rules of a project as if it had been created with them, and let the ledger say so."""
    Project.objects.filter(pk=project.pk).update(**rules)
    project.refresh_from_db()
    with commit(ledger=project):
        told = RulesSet(rules_of(project))
        append(project, actor=COMMAND_LINE.name, events=[told])


def verify_project(project: Project) -> Head:
    """Check the whole ledger of a project: its chain, its head, and the rules of its entries."""
    head, kept = head_of(project), list(lines(project))
    found = verify_chain(kept, head)
    if found != head:
        raise LedgerBroken(head.entries + 1, "it stands behind the known head")
    replay(read(kept))
    return found


def accounts_of(project: Project) -> dict[str, AssignmentBalance]:
    return replay(read(lines(project)))
