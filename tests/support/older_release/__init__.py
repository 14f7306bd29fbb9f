"""A made-up older release: one that lacked some tables and columns of today.

Its migrations are those of today, divided into two steps.
"""

from __future__ import annotations

from dataclasses import replace

from tests.support import processes
from tests.support.installation import Installation

SETTINGS = "tests.support.older_release.settings"
LATER_MODELS = frozenset({"report", "signedhead", "recoverycode"})
LATER_FIELDS = frozenset(
    {("project", "idle_minutes"), ("project", "title"), ("account", "practised")}
)
_TAKE_BACK = """
import django; django.setup()
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
recorder = MigrationRecorder(connection)
if ("store", "0000_older") not in recorder.applied_migrations():
    recorder.record_applied("store", "0000_older")
call_command("migrate", "store", "0000", verbosity=0)
"""


def at_an_older_release(installation: Installation) -> Installation:
    """Take the tables back to the older release; return the installation as it knows both steps."""
    own = replace(installation, settings=SETTINGS)
    processes.check_output(["-c", _TAKE_BACK], own.environment)
    return own
