"""A child of the benchmark of pairs: find the pairs of a project, and say how long it takes.

By exact rules, as by hand, or by derived ones if the first argument says so.
"""

from __future__ import annotations

import json
import sys
import time

import django

from peak import peak

django.setup()

from mindfirl.engine.scoring.blocking import RuleSource
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.services.pairs import find_pairs, plan_pairs, rules_used
from mindfirl.services.projects import project_named

project = project_named("bench")
start = time.perf_counter()
source: RuleSource = "derived" if "derived" in sys.argv else "exact"
blocked = plan_pairs(project=project, source=source)
found = find_pairs(
    project=project,
    blocked=blocked,
    engine=DuckDBEngine(),
    seed=1,
    progress=lambda _what, _done, _steps: None,
)
seconds = time.perf_counter() - start
told = {"seconds": seconds, "peak": peak(), "pairs": found.pairs}
json.dump({**told, "comparisons": rules_used(found).total}, sys.stdout)
