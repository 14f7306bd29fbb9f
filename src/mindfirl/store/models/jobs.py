"""Long work: what is to be done, how far it is, and how it ended."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models

from mindfirl.store.models.accounts import Account
from mindfirl.store.models.projects import Project


class Job(models.Model):
    """A piece of long work on a project, done by the runner in a process of its own."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=16)
    parameters = models.JSONField(default=dict)
    by = models.ForeignKey(Account, on_delete=models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=16, default="waiting")
    """Waiting, running, done, failed or cancelled."""
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True)
    heartbeat = models.DateTimeField(null=True)
    ended = models.DateTimeField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    cancelling = models.BooleanField(default=False)
    stage = models.CharField(max_length=120, blank=True)
    done = models.BigIntegerField(default=0)
    steps = models.BigIntegerField(default=0)
    seconds_left = models.PositiveIntegerField(null=True)
    error = models.CharField(max_length=40, blank=True)
    """The name of our own error, never the words of another library."""
    sentence = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["project"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="one_job_a_project",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.project}"
