from __future__ import annotations

from typing import ClassVar

from django.db import migrations

from tests.support.older_release import steps


class Migration(migrations.Migration):
    dependencies: ClassVar = [("store", "0000_older")]
    operations: ClassVar = list(steps.later())
