"""Reports of what was disclosed in a project, as they were made."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from django.db import models

from mindfirl.store.models.accounts import Account
from mindfirl.store.models.projects import Project


class Report(models.Model):
    """A report: counts and fixed words alone, kept as the text that is given away."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="reports")
    number = models.PositiveIntegerField()
    created = models.DateTimeField()
    account = models.ForeignKey(Account, on_delete=models.PROTECT, null=True, related_name="+")
    """Who let it be made; nobody where it was a command."""
    text = models.TextField()
    """JSON."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "number"], name="one_report_a_number")
        ]

    def __str__(self) -> str:
        return f"report {self.number} of {self.project}"

    @property
    def content(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.text)
        return content
