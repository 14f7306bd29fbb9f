"""A child of the benchmark of pairs: find the pairs of a project, and say how long it takes."""

from __future__ import annotations

import json
import sys
import time

import django

from peak import peak

django.setup()

from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.services.pairs import find_pairs, plan_pairs
from mindfirl.services.projects import project_named

project = project_named("bench")
start = time.perf_counter()
blocked = plan_pairs(project=project)
found = find_pairs(
    project=project,
    blocked=blocked,
    engine=DuckDBEngine(),
    seed=1,
    progress=lambda _what, _done, _steps: None,
)
seconds = time.perf_counter() - start
told = {"seconds": seconds, "peak": peak(), "pairs": found.pairs}
json.dump({**told, "comparisons": blocked.blocking.total}, sys.stdout)
