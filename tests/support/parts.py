"""The parts of ``make proof``: each runs alone in at most 20 minutes on two cores."""

from __future__ import annotations

from typing import Final

ON_POSTGRESQL: Final = "postgresql-"
"""Parts of this name run on PostgreSQL, all others on SQLite."""

PARTS: Final = {
    "core-risk": ("core/risk/",),
    "core-laws": ("core/",),
    "reading": ("engine/reading/", "engine/release/", "services/data/test_bad_files.py"),
    "planner": ("planner/",),
    "scoring": (
        *("engine/scoring/", "services/test_pairs.py", "services/test_evaluation.py"),
        *("engine/bands/", "services/test_asking.py"),
        "services/data/test_febrl.py",
    ),
    "linkages": ("services/test_linkage_figures.py",),
    "histories": ("services/review/test_histories.py",),
    "crashes": ("services/review/", "services/test_ledger.py", "store/"),
    "tampering": ("services/test_tampering.py",),
    "registry": ("services/data/test_registry_years.py",),
    "cuts": ("services/data/", "services/release/"),
    "jobs": ("runner/",),
    "worlds": ("web/test_twin_worlds.py",),
    "tracers": ("web/",),
    "browsers": ("browser/",),
    "postgresql-histories": ("services/review/test_histories.py",),
    "postgresql-crashes": ("services/review/", "services/test_ledger.py", "store/"),
    "postgresql-tampering": ("services/test_tampering.py",),
    "postgresql-registry": ("services/data/test_registry_years.py",),
    "postgresql-cuts": ("services/data/", "services/release/"),
    "postgresql-jobs": ("runner/",),
    "postgresql-backups": ("services/projects/", "services/upkeep/"),
    "postgresql-worlds": ("web/test_twin_worlds.py",),
    "postgresql-web": ("web/",),
    "postgresql-rest": ("",),
}
"""Where the tests of a part are; a test belongs to the first part that names its place."""


def part_of(path: str, *, postgresql: bool) -> str | None:
    """Return the part that runs the tests of a file on a kind of database."""
    for part, places in PARTS.items():
        if part.startswith(ON_POSTGRESQL) == postgresql and path.startswith(places):
            return part
    return None
