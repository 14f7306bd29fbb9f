"""Run as a program in an installation: print the ledger of its study, and which pairs it is of.

Positions of records are those that a test wrote down, found by the records' own ids.
"""

from __future__ import annotations

import json
import sys
from uuid import UUID

import django
from django.apps import apps

if not apps.ready:
    django.setup()

from mindfirl.engine.separation.separate import RECORD
from mindfirl.store import vault
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import AssignedPair, Project
from mindfirl.store.queries.projects import databases_of

Written = dict[int, int]
"""The place at which a test wrote a record, by its position."""


def written_order(project: Project, people: int) -> Written:
    """Find the records of two databases by their ids: a letter, and the number of a person."""
    version = project.versions.get()
    ids = [
        (place, each)
        for place, database in enumerate(databases_of(version))
        for each in vault.unseal(database.identity).column(RECORD).to_pylist()
    ]
    return {position: place * people + int(each[1:]) for position, (place, each) in enumerate(ids)}


def given_pairs(assignment: str, order: Written) -> dict[int, tuple[str, int, int]]:
    """Return the pairs of an assignment by their numbers: token, and where they were written."""
    rows = AssignedPair.objects.filter(assignment=UUID(assignment))
    return {
        number: (token, order[left], order[right])
        for number, token, left, right in rows.values_list("number", "token", "left", "right")
    }


if __name__ == "__main__":
    study = Project.objects.get(name="study")
    found = written_order(study, int(sys.argv[1]))
    given = {
        str(each): given_pairs(str(each), found)
        for each in study.assignments.values_list("pk", flat=True)
    }
    json.dump({"lines": list(lines(study)), "given": given}, sys.stdout)
