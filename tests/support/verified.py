"""Run as a program in an installation: let the doctor look, open everything, print what is there.

That it is whole is checked here: every record has its identity, its sensitive values, and one line
that joins them; the index has the records of all databases, and the digest that was recorded.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import django

django.setup()

from mindfirl.core.population.arrays import restore_index
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.indexed_databases import index_arrays, index_digest
from mindfirl.engine.separation.separate import IDENTITY, PSEUDONYM, SENSITIVE
from mindfirl.services.upkeep.health import examine
from mindfirl.store import vault
from mindfirl.store.models import Database, Project, Scoring, Version
from mindfirl.workspace.carried_votes import votes_in


def verified(project: Project) -> dict[str, Any] | None:
    """Open everything of the newest version."""
    version = project.versions.order_by("-number").first()
    if version is None:
        return None
    _check_index(version)
    databases = [member.database for member in version.members.select_related("database")]
    assert sum(map(_records, databases)) == version.records
    return {
        "number": version.number,
        "databases": {database.name: database.records for database in databases},
        "versions": project.versions.count(),
        "files": project.files.count(),
        "pairs": _pairs(version),
        "votes": len(votes_in(version)),
    }


def _pairs(version: Version) -> bool:
    """Say whether there are scored pairs; if so, they are whole."""
    scoring = Scoring.objects.filter(version=version).first()
    if scoring is None:
        return False
    found = vault.unseal(scoring.candidates)
    assert found.num_rows == scoring.pairs
    assert vault.unseal(version.required_prices).num_rows > 0
    return True


def _check_index(version: Version) -> None:
    schema = parse_schema(version.schema, "").schema
    table = vault.unseal(version.index)
    assert index_digest(table, schema) == version.index_digest
    assert restore_index(schema, index_arrays(table)).size == version.records


def _records(database: Database) -> int:
    identity = set(vault.unseal(database.identity).column(PSEUDONYM).to_pylist())
    sensitive = set(vault.unseal(database.sensitive).column(PSEUDONYM).to_pylist())
    joining = vault.unseal(database.joining)
    assert set(joining.column(IDENTITY).to_pylist()) == identity
    assert set(joining.column(SENSITIVE).to_pylist()) == sensitive
    assert len(identity) == len(sensitive) == joining.num_rows == database.records
    return database.records


def everything() -> dict[str, Any]:
    """Let the doctor look twice, then open everything."""
    first, second = examine(), examine()
    return {
        "doctor": [[each.words, each.mended] for each in first],
        "afterwards": [each.words for each in second],
        "project": verified(Project.objects.get(name="study")),
    }


if __name__ == "__main__":
    json.dump(everything(), sys.stdout)
