from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models

_COLUMNS = (
    "accounting",
    "date_swaps",
    "due",
    "frequency_bands",
    "guidance",
    "hints",
    "kappa",
    "most_pairs",
    "prices",
    "priority",
    "project_limit",
    "quality_sample",
    "reviews",
    "rule",
    "starting",
)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("store", "0016_prospects")]

    operations: ClassVar = [
        *(migrations.RemoveField("plan", name) for name in _COLUMNS),
        migrations.AddField("plan", "content", models.JSONField(default=dict)),
        migrations.AddField("assignment", "attributes", models.JSONField(default=list)),
        migrations.AddField(
            "assignment", "population", models.CharField(blank=True, default="", max_length=64)
        ),
        migrations.AlterField("assignment", "settings", models.JSONField(default=dict)),
    ]
