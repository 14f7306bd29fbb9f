"""Files that came in by the browser and wait to be imported, and what their columns look like."""

from __future__ import annotations

import uuid

from django.db import models

from mindfirl.store.models.accounts import Account
from mindfirl.store.models.projects import Project


class Upload(models.Model):
    """A file that was sealed while it streamed in; only the runner can read it back."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="uploads")
    by = models.ForeignKey(Account, on_delete=models.SET_NULL, null=True, related_name="+")
    received = models.DateTimeField(auto_now_add=True)
    purpose = models.CharField(max_length=16, default="database")
    """A database to import, or scored pairs."""
    database = models.CharField(max_length=80, blank=True)
    """What the database is to be called."""
    file_name = models.CharField(max_length=255)
    size = models.BigIntegerField()
    digest = models.CharField(max_length=64)
    sealed_key = models.BinaryField()
    sheet = models.CharField(max_length=80, blank=True)

    def __str__(self) -> str:
        return f"upload {self.id}"


class ColumnsDraft(models.Model):
    """What the columns of the uploaded files look like, and the schema as it stands."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="columns_draft")
    revision = models.PositiveIntegerField(default=0)
    """Counts the changes, so that one who works on an older page is told."""
    profile = models.JSONField(default=list)
    """Shapes, fill and counts of every column, never a value."""
    schema = models.TextField(blank=True)
    changed = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"columns of {self.project}"
