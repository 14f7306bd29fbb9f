"""The ledger of a project: its lines, where it ends, and where it ended when that was signed."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from mindfirl.store.models.projects import Project
from mindfirl.store.models.stored_rows import StoredRow


class LedgerHead(StoredRow):
    """Where the ledger of a project ends; locked by whoever appends to it."""

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="ledger_head")
    entries = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64)
    together = models.BigIntegerField(null=True)
    """What all people of the project have seen together, in κ times units; nothing where it has to
    be counted first."""


class LedgerLine(StoredRow):
    """One entry of a ledger, as ``core.ledger.replay`` writes it."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="ledger_lines")
    number = models.PositiveBigIntegerField()
    line = models.TextField()

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "number"], name="one_entry_a_number")
        ]


class SignedHead(StoredRow):
    """A head of a ledger that was signed: with its project and time, by a key outside of here."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="signed_heads")
    entries = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)
    at = models.DateTimeField()
    occasion = models.CharField(max_length=16)
    """A report, a receipt, or because a day was over."""
    key = models.CharField(max_length=64)
    signature = models.CharField(max_length=128)
    """The public key that checks it, and the signature, in hexadecimal digits."""

    class Meta:
        ordering: ClassVar = ["pk"]
