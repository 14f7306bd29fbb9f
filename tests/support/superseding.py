"""Run as a program in an installation: end all reviews, or delete what nothing needs any more.

Each prints what is left of the first version: whether its values and its index can be opened, and
whether something is frozen; what all people have seen; how many entries tell of a deletion, and how
many files of the project are on the disk.
"""

from __future__ import annotations

import json
import sys

import django

django.setup()

from mindfirl.core.ledger.chain import read
from mindfirl.core.ledger.project_events import ValuesDeleted
from mindfirl.store import vault
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Project
from mindfirl.workspace.seen_together import count_together
from mindfirl.workspace.superseded_values import delete_all_superseded_values, has_values
from mindfirl.workspace.verification.ledger_verification import verify
from tests.support.conflicts import SAME
from tests.support.rounds import decide_all


def main(word: str) -> None:
    project = Project.objects.get(name="study")
    if word == "decide":
        decide_all(list(project.assignments.all()), SAME)
    if word == "delete":
        delete_all_superseded_values()
    verify(project)
    old = project.versions.get(number=1)
    told = [entry.event for entry in read(lines(project))]
    left = {
        "values": has_values(old),
        "index": bool(old.index.digest),
        "frozen": old.frozen is not None,
        "seen": count_together(project),
        "told": sum(isinstance(event, ValuesDeleted) for event in told),
        "files": len([*vault.folder_of(project.pk).glob("*.parquet")]),
    }
    json.dump(left, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
