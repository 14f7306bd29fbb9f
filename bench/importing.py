"""A child of the benchmark of imports: import files into a new project, and say how long.

Then the files beside them, in the folder again, are imported as the next version.
The schema is proposed before, from a profile of all columns; that is timed by itself.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import django

from peak import peak

django.setup()

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.profile import profile_table
from mindfirl.engine.schema.proposal import matched, propose_schema
from mindfirl.services.data.importing import import_databases
from mindfirl.services.projects import create_project
from mindfirl.services.upkeep.installation import initialise

stages: dict[str, float] = {}
marks = [("", time.perf_counter())]


def progress(what: str, _done: int, _steps: int) -> None:
    """Note how long the last stage took."""
    name, since = marks[-1]
    marks.append((what, time.perf_counter()))
    stages[name] = stages.get(name, 0) + marks[-1][1] - since


initialise()
project = create_project(name="bench", actor=COMMAND_LINE, synthetic=True)
paths = {path.stem: path for path in map(Path, sys.argv[1:])}
progress("before: profile and proposal", 0, 0)
profiles = []
for name, path in paths.items():
    source = open_table(str(path))
    profiles += profile_table(source.table(source.columns), name)
schema = propose_schema(matched(profiles), latest_year=2026)
del profiles
progress("opening", 0, 0)
start = time.perf_counter()
sources = {name: open_table(str(path)) for name, path in paths.items()}
import_databases(project=project, sources=sources, schema=schema, progress=progress)
seconds = time.perf_counter() - start
del stages[""]
first = dict(stages)
start = time.perf_counter()
again = {name: open_table(str(path.parent / "again" / path.name)) for name, path in paths.items()}
import_databases(project=project, sources=again, schema=schema, progress=progress)
seconds_again = time.perf_counter() - start
result = {"seconds": seconds, "again": seconds_again, "peak": peak(), "stages": first}
json.dump(result, sys.stdout)
